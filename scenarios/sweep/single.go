package sweep

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"onedebit/scenarios"
)

// What the faults of a scenario are, to a sweep.
var (
	losses  = []string{"lost-request", "lost-answer", "cut"}
	delays  = []string{"delay", "hold", "pause", "bank-slow"}
	copies  = []string{"queue-replay", "gather", "bank-gather"} // what is gathered is duplicates
	crashes = []string{"kill"}
)

// ownWords are the keys of a step callback that make it another one than a true notification of SUCCESS.
var ownWords = []string{"status", "amount", "currency", "sign", "skew", "unknown"}

// Single says why the fault of a scenario is more than one loss, one delay, one duplicate or one crash, so that no sweep
// has it among its experiments; "" where it is not.
func Single(s *scenarios.Scenario) (string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(s.Source), &doc); err != nil {
		return "", fmt.Errorf("reading scenario %s: %w", s.Name, err)
	}
	if s.Instances > 1 {
		return "it takes two processes of the service", nil
	}
	if s.Bank.Reverses {
		return "it takes a bank that undoes debits", nil
	}
	v := view{faults: map[string]int{}, payments: map[string]bool{}}
	v.node(&doc, "")
	return v.why(), nil
}

// view is what a scenario does, as far as it matters here.
type view struct {
	faults   map[string]int // by class
	payments map[string]bool
	other    string // what no sweep does
}

func (v *view) why() string {
	all := v.faults["loss"] + v.faults["delay"]
	switch {
	case v.other != "":
		return v.other
	case len(v.payments) > 1:
		return "it takes several payments"
	case v.faults["crash"] > 1:
		return "it takes several crashes"
	case v.faults["crash"] == 0 && all > 1:
		return "it takes a loss and a delay together"
	case v.faults["copy"] > 0 && all+v.faults["crash"] > 0:
		return "it takes a duplicate and another fault together"
	case all+v.faults["crash"]+v.faults["copy"] == 0:
		return "it takes no fault at all"
	}
	return ""
}

func (v *view) node(n *yaml.Node, key string) {
	if n.Kind == yaml.SequenceNode && slices.Contains(lists, key) {
		for _, step := range n.Content {
			v.step(step)
		}
	}
	for i, c := range n.Content {
		name := key
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			name = n.Content[i-1].Value
		}
		v.node(c, name)
	}
}

func (v *view) step(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Value == "restart" {
		v.faults["crash"] = max(1, v.faults["crash"]) // of what a kill has ended, or by itself
		return
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		kind, value := n.Content[i].Value, n.Content[i+1]
		if of := valueAt(value, "of"); of != "" {
			v.payments[of] = true
		}
		switch kind {
		case "fault":
			v.fault(value)
		case "during":
			for k := 0; k+1 < len(value.Content); k += 2 {
				if value.Content[k].Value == "fault" {
					v.fault(value.Content[k+1])
				}
			}
		case "burst", "together":
			v.faults["copy"] = 1
		case "callback":
			v.callback(value)
		case "refund":
			if valueAt(value, "copies") != "" {
				v.faults["copy"] = 1
			}
		case "restart":
			v.faults["crash"] = max(1, v.faults["crash"])
		case "clock", "close-order", "appeal", "each":
			v.other = "it takes the step " + kind
		}
	}
}

func (v *view) callback(n *yaml.Node) {
	for _, key := range ownWords {
		if w := valueAt(n, key); w != "" && w != "SUCCESS" || key == "status" && isList(n, key) {
			v.other = "it takes a bank that says something else"
		}
	}
	v.faults["copy"] = 1
}

// isList says whether the value of a key is a list.
func isList(n *yaml.Node, key string) bool {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Kind == yaml.SequenceNode
		}
	}
	return false
}

func (v *view) fault(n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch kind := n.Content[i].Value; {
		case kind == "as", kind == "optional":
		case slices.Contains(losses, kind):
			v.faults["loss"] = 1 // of several messages by one outage of a link
		case slices.Contains(delays, kind):
			v.faults["delay"] = 1
		case slices.Contains(copies, kind):
			v.faults["copy"] = 1
		case slices.Contains(crashes, kind):
			v.faults["crash"]++
		default:
			v.other = "it takes the fault " + kind
		}
	}
}
