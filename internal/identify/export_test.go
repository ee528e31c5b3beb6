package identify

import "weak"

// TurnsKept is turnsKept.
const TurnsKept = turnsKept

// Version points at the memory that is read from now, without keeping it alive.
func (s *Service) Version() weak.Pointer[memory] { return weak.Make(s.serving().learner.memory()) }
