package faults

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRefuse(t *testing.T) {
	reads(t, []string{"db"},
		sample{"refuse: {message: COMMIT}", "refused by the database: COMMIT statement number 1 on link db"},
		sample{`refuse: {message: "UPDATE *", nth: 2, count: all, code: "40P01"}`, "refused by the database with 40P01: UPDATE * statement number 2 and all behind it on link db"},
	)
	refuses(t, sample{"refuse: {message: COMMIT,\n nth: -1}", "nth"}, sample{"refuse: {coed: 1213}", `unknown key "coed"; did you mean "code"?`})
}

// Only a database can refuse a statement: on another link the fault says so and is not in force.
func TestRefuseNeedsADatabase(t *testing.T) {
	r := newRig(t)
	f, err := read("refuse: {link: bank, message: debit}")
	require.NoError(t, err)
	_, err = f.Arm(context.Background(), r.env())
	require.ErrorContains(t, err, "arming fault")
	r.debited()
}
