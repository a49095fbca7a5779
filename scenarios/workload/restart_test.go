package workload

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"onedebit/scenarios/history"
)

// life is what happened to the service in this test.
func (r *rig) life() (what []string, pids []int) {
	for _, e := range r.events() {
		if e.Process != nil {
			what, pids = append(what, e.Process.What), append(pids, e.Process.PID)
		}
	}
	return what, pids
}

func TestRestart(t *testing.T) {
	refuses(t, [2]string{"- restart: {when: now}", `unknown key "when"; valid are: instance`}, [2]string{"- restart: {instance: -1}", "instance: -1 is none; the first is 1"})

	r := newRig(t, "")
	assert.ErrorContains(t, r.try("- restart: {instance: 2}"), "this stack has no instance 2 of the service; it has 1")
	r.run("- restart\n- pay: {}")
	what, pids := r.life()
	assert.Equal(t, []string{"killed", "exited", "started", "ready"}, what)
	assert.NotEqual(t, pids[0], pids[2])
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()), "it is back at its old address")
}

func TestRestartOfAServiceThatIsDown(t *testing.T) {
	r := newRig(t, "")
	r.run("- fault: {kill: }\n- restart\n- pay: {}\n- heal: kill")
	what, _ := r.life()
	assert.Equal(t, []string{"killed", "exited", "started", "ready"}, what, "started once")
	assert.Equal(t, []history.Outcome{history.Confirmed}, outcomes(r.pays()))
}
