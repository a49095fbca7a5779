package workload

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"onedebit/scenarios/history"
)

func TestKinds(t *testing.T) {
	require.NotEmpty(t, Kinds())
	assert.True(t, slices.IsSorted(Names()))
	for _, k := range Kinds() {
		steps, err := read("- " + k.Example)
		if assert.NoError(t, err, "the example of %s", k.Name) {
			assert.Equal(t, k.Name, steps[0].Kind)
		}
	}
	Kinds()[0] = nil
	assert.NotNil(t, Kinds()[0], "the list is a copy")
}

func TestRegisterRefuses(t *testing.T) {
	whole := Kind{Name: "new", Doc: "d", Example: "e", New: Pay.New}
	for _, edit := range []func(*Kind){
		func(k *Kind) { k.Name = "" }, func(k *Kind) { k.Doc = "" }, func(k *Kind) { k.Example = "" },
		func(k *Kind) { k.New = nil }, func(k *Kind) { k.Name = "pay" },
	} {
		k := whole
		edit(&k)
		assert.Panics(t, func() { register(k) })
	}
	assert.NotContains(t, Names(), "new")
}

func TestSteps(t *testing.T) {
	steps, err := read("- pay: {}\n- join\n- {wait: 1s, background: true}\n- together: [{pay: }, observe]\n- during: {fault: {pause: }, steps: {pay: {}}}")
	require.NoError(t, err)
	var kinds []string
	Walk(steps, func(s Step) {
		for _, k := range Kinds() {
			if reflect.TypeOf(k.New()) == reflect.TypeOf(s.Action) {
				kinds = append(kinds, k.Name)
			}
		}
	})
	assert.Equal(t, []string{"pay", "join", "wait", "together", "pay", "observe", "during", "pay"}, kinds)
	assert.Equal(t, []int{1, 2, 3, 4, 5}, []int{steps[0].Line, steps[1].Line, steps[2].Line, steps[3].Line, steps[4].Line})
	assert.Equal(t, []bool{false, false, true, false, false},
		[]bool{steps[0].Background, steps[1].Background, steps[2].Background, steps[3].Background, steps[4].Background})
}

func TestStepsThatAreNone(t *testing.T) {
	refuses(t,
		[2]string{"- pya: {}", `s.yaml:1:3: unknown step "pya"; valid are: `},
		[2]string{"- pay: {}\n- callbak: {}", `s.yaml:2:3: unknown step "callbak"; did you mean "callback"?`},
		[2]string{"- jion", `s.yaml:1:3: unknown step "jion"; did you mean "join"?`},
		[2]string{"- [pay]", "s.yaml:1:3: expected a step such as pay: {}"},
		[2]string{"- {}", "s.yaml:1:3: a step needs a kind: appeal, await, bank-settles, burst"},
		[2]string{"- background: true", "s.yaml:1:3: a step needs a kind"},
		[2]string{"- {pay: {}, background: later}", `s.yaml:1:25: expected true or false, found "later"`},
		[2]string{"- pay: {}\n  query: {}", "s.yaml:2:3: one step, two kinds: pay and query; begin a new list item with -"},
		[2]string{"- pay: {}\n  pay: {}", `s.yaml:2:3: key "pay" is given twice`},
		[2]string{"- together:\n  - pay: {}\n  - pay: {fo: A}", `s.yaml:3:11: unknown key "fo"`},
		[2]string{"- &s\n  together: [*s]", "alias *s stands within what it stands for"})
}

func TestErrorsCarryStepAndLine(t *testing.T) {
	r := newRig(t, "")
	err := r.try("- pay: {}\n- together:\n  - query: {}\n  - during:\n      fault: {pause: }\n      steps:\n      - observe\n      - heal: nothing")
	require.ErrorContains(t, err, `step together (line 2): step during (line 4): step heal (line 8): unknown fault "nothing"`)
	assert.Equal(t, history.Healed, r.faults()[len(r.faults())-1].State, "a fault is healed although its steps failed")
}

func TestAnErrorEndsTheSteps(t *testing.T) {
	r := newRig(t, "")
	require.ErrorContains(t, r.try("- observe\n- heal: x\n- observe"), "step heal (line 2)")
	assert.Equal(t, []string{"observe", "heal"}, r.progress)
	assert.Equal(t, 1, r.looks)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	steps, err := read("- observe")
	require.NoError(t, err)
	require.ErrorIs(t, r.Run(ctx, steps), context.Canceled)
	assert.Equal(t, 1, r.looks, "nothing is begun after an interruption")
}
