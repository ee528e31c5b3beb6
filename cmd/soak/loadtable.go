package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

const mib = 1 << 20

// flatness is the growth of memory that is called flat: in MiB for an hour of 100
// people. Their 3,600 lessons themselves stay in memory, at some 2 KB each: 7 MiB.
const flatness = 64

// loadSection is what a run measured as Markdown, and which goals it missed.
func loadSection(l loading) (text string, missed error) {
	var b strings.Builder
	o := l.observed
	fmt.Fprintf(&b, "%s. %d people, each acting every %v in the mean; %d lessons when they began.\n\n", l.machine(), l.people, l.think, l.taught)
	fmt.Fprintf(&b, "| phase | action | answered | p50 | p95 | p99 | goal (p95) | refused | failed |\n|---|---|---|---|---|---|---|---|---|\n")
	var wrong []string
	for _, p := range []struct {
		name   string
		phase  *phase
		judged bool
	}{
		{fmt.Sprintf("%d people, %v", l.people, o.paced.lasted.Round(time.Second)), &o.paced, true},
		{fmt.Sprintf("%d people, %v", 3*l.people, o.triple.lasted.Round(time.Second)), &o.triple, false},
		{fmt.Sprintf("%d people who do not wait, %v", 3*l.people, o.flood.lasted.Round(time.Second)), &o.flood, false},
	} {
		for k := range kinds {
			goal := "–"
			if p.judged {
				goal = goals()[k].String()
				if p95 := p.phase.quantile(k, 0.95); p95 > goals()[k] || len(p.phase.took[k]) == 0 {
					wrong = append(wrong, fmt.Sprintf("p95 of a %v is %v, the goal %v", k, round(p95), goals()[k]))
				}
			}
			fmt.Fprintf(&b, "| %s | %v | %d | %v | %v | %v | %s | %d | %d |\n", p.name, k, len(p.phase.took[k]), round(p.phase.quantile(k, 0.5)),
				round(p.phase.quantile(k, 0.95)), round(p.phase.quantile(k, 0.99)), goal, p.phase.refused[k], p.phase.failed[k])
		}
		_, failed, refused := p.phase.actions()
		if p.judged && failed+refused > 0 {
			wrong = append(wrong, fmt.Sprintf("%d people: %d failed, %d refused; %s", l.people, failed, refused, strings.Join(p.phase.failures, "; ")))
		} else if failed > 0 {
			wrong = append(wrong, fmt.Sprintf("%s: %d failed otherwise than by a refusal with Retry-After; %s", p.name, failed, strings.Join(p.phase.failures, "; ")))
		}
	}
	if _, _, refused := o.flood.actions(); refused == 0 {
		wrong = append(wrong, "nobody was refused, though nobody waited: queues have no bound, or the load was too little")
	}
	wrong = append(wrong, memoryAndRecovery(&b, l)...)
	if len(wrong) > 0 {
		fmt.Fprintf(&b, "\nGoals missed:\n\n- %s\n", strings.Join(wrong, "\n- "))
		return b.String(), fmt.Errorf("%w: %s", errMissed, strings.Join(wrong, "; "))
	}
	fmt.Fprint(&b, "\nAll goals are met.\n")
	return b.String(), nil
}

// memoryAndRecovery adds the rest of the figures and returns what is wrong with them.
func memoryAndRecovery(b *strings.Builder, l loading) (wrong []string) {
	o := l.observed
	if verdict := "within the goal of 5 s"; o.recovered && o.recovery <= 5*time.Second {
		fmt.Fprintf(b, "\nAfter the flood each kind of action kept its goal again %v later, %s.", o.recovery.Round(10*time.Millisecond), verdict)
	} else {
		fmt.Fprintf(b, "\nAfter the flood it took %v (recovered: %v) until each kind of action kept its goal again.", o.recovery.Round(10*time.Millisecond), o.recovered)
		wrong = append(wrong, fmt.Sprintf("recovery took %v (goal 5 s)", o.recovery.Round(10*time.Millisecond)))
	}
	actions, _, _ := o.fast.actions()
	hour := float64(l.people) * float64(time.Hour) / float64(l.think)
	each, give := slope(o.fast.held)
	grown := each * hour / mib
	first, last := o.fast.held[0], o.fast.held[len(o.fast.held)-1]
	fmt.Fprintf(b, "\n\nMemory, over %d actions of the same mix one after the other (%.0f %% of an hour of these people): in use at rest, after a collection, from %.0f to %.0f MiB; "+
		"over the second half it grew by %.1f ± %.1f KiB an action (standard error), which would be %.0f MiB in an hour (flat is called what cannot be told, by two standard errors, from less than %d). Resident meanwhile up to %.0f MiB, and %.0f MiB at most in the whole run.\n",
		actions, 100*float64(actions)/hour, first.bytes/mib, last.bytes/mib, each/1024, give/1024, grown, flatness, o.fast.most/mib,
		max(o.warm.most, o.paced.most, o.triple.most, o.fast.most, o.flood.most)/mib)
	if (each-2*give)*hour/mib > flatness {
		wrong = append(wrong, fmt.Sprintf("memory grows by %.0f MiB in an hour's events", grown))
	}
	fmt.Fprintf(b, "\nShare of the %d cores while %d people came: the server %s, this program (which draws and reads like everyone's browsers together) %s, everything else on the machine %s.\n",
		runtime.NumCPU(), l.people, share(o.paced.server, &o.paced), share(o.paced.itself, &o.paced), share(o.paced.others, &o.paced))
	fmt.Fprintf(b, "\nStopped with SIGTERM; `webapp verify` afterwards: %s.\n", strings.ReplaceAll(strings.TrimSpace(o.verified), "\n", "; "))
	return wrong
}

func share(seconds float64, p *phase) string {
	return fmt.Sprintf("%.0f %%", 100*seconds/p.lasted.Seconds()/float64(runtime.NumCPU()))
}

// round leaves of a time what means something.
func round(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(100 * time.Microsecond)
}
