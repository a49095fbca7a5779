package mutants

import (
	"slices"
	"strings"

	"onedebit/reference"
)

// paymentsUnique returns the schema of the reference with these constraints, and no others, on pay_transaction.
func paymentsUnique(constraints ...string) []string {
	return replaceTable("pay_transaction", reference.PaymentTable(constraints...))
}

func replaceTable(name, statement string) []string {
	schema := reference.Schema()
	at := slices.IndexFunc(schema, func(s string) bool { return strings.Contains(s, "EXISTS "+name+" (") })
	schema[at] = statement
	return schema
}
