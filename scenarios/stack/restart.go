package stack

import (
	"context"
	"fmt"
	"slices"
)

// restartable are the links whose server can be restarted under an experiment, by the ability that a scenario needs for it.
var restartable = map[string]string{RestartCache: CacheLink, RestartDB: DBLink, RestartQueue: QueueLink}

// RestartAbility is the ability to restart the server at the end of a link.
func RestartAbility(link string) string { return "restart-" + link }

// RestartableServers are the links whose server some runtime can restart, in order.
func RestartableServers() []string {
	var out []string
	for _, link := range restartable {
		out = append(out, link)
	}
	slices.Sort(out)
	return out
}

// Restart ends the server at the end of a link at once, as kill -9 does, starts it again, and waits until it answers. With lose
// it comes back with nothing of what it had. It must be this experiment's own: an error says that it is not.
func (s *Stack) Restart(ctx context.Context, link string, lose bool) error {
	restart := s.restarts[link]
	if restart == nil {
		return fmt.Errorf("the server of link %s cannot be restarted: it is not this experiment's own", link)
	}
	if err := restart(ctx, lose); err != nil {
		return fmt.Errorf("restarting the server of link %s: %w", link, err)
	}
	return nil
}

// own says whether the experiment is to have a server of its own at the end of a link.
func (s *Spec) own(link string) bool { return slices.Contains(s.Needs, RestartAbility(link)) }
