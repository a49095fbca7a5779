package reports

import "fmt"

// naming gives each trial a name that is unique in its family, since GitLab and others drop all but one of the same name.
type naming map[[2]string]bool

// of is the name of a trial: the scenario, the mutant where one stood in for the target, and the trial where there are several.
func (n naming) of(s *Scenario, repeated bool) string {
	name := xmlText(s.Name, 400)
	if s.Mutant != "" {
		name += " [" + xmlText(s.Mutant, 200) + "]"
	}
	if repeated {
		name += fmt.Sprintf(" [trial %d]", s.Trial)
	}
	suite := family(s)
	for base, i := name, 2; n[[2]string{suite, name}]; i++ {
		name = fmt.Sprintf("%s (%d)", base, i)
	}
	n[[2]string{suite, name}] = true
	return name
}
