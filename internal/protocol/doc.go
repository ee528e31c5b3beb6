// Package protocol runs the experiments of Zhu, Lyu, Xiao and Hoiem, "Continual
// Learning in Open-vocabulary Classification with Complementary Memory Systems"
// (TMLR 10/2024), Sec. 4 and supplement (METHOD section 5), over embeddings.
//
// A Suite is the data: target tasks, which are learned stage by stage, and
// zero-shot tasks, which never are. A Plan says what is done with it. The work
// falls into cells, each one memory that is taught in one way (Cell); a cell's
// Outcome is what a stopped run keeps and a resumed one passes over:
//
//	r := protocol.Runner{Suite: suite, Plan: plan, Clock: clock, Workers: 2}
//	err := r.Run(ctx, done, func(o protocol.Outcome) error { … })   // o as one line of JSON
//	table := protocol.Summarise(rows)                               // means and deviations over orders, seeds and memories
//	matrices := protocol.MTIL(rows)                                 // Transfer, Avg., Last, of each system and rule
//	claims := protocol.Claims(table)                                // does what the paper reports hold here?
//
// Same suite, plan and seed give the same rows but for Row.Cost, which is what
// the clock said. The package reads no file and prints nothing.
package protocol
