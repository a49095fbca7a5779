package sweep

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"onedebit/scenarios/history"
	"onedebit/scenarios/stack"
)

// Point is one message of a payment: a place where it can break.
type Point struct {
	Link  string
	Dir   string
	Name  string // how a scenario calls it: its name in the target file, or a pattern of its label
	Nth   int    // which of the messages of this name and direction, from 1
	Label string // what a person recognises, without what is made by chance
}

// at is the point as a fault is placed at it.
func (p Point) at() string {
	return fmt.Sprintf("link: %s, message: %q, nth: %d, count: 1", p.Link, p.Name, p.Nth)
}

// ends are the two ends of each link, in the direction of its requests.
var ends = map[string][2]string{
	stack.ClientLink: {"client", "service"}, stack.BankLink: {"service", "bank"}, stack.CallbackLink: {"bank", "service"},
	stack.DBLink: {"service", "db"}, stack.CacheLink: {"service", "cache"}, stack.QueueLink: {"service", "queue"},
}

// Ends are who sends the message, and to whom.
func (p Point) Ends() (from, to string) {
	e := ends[p.Link]
	if p.Dir == history.Answer {
		return e[1], e[0]
	}
	return e[0], e[1]
}

func (p Point) String() string {
	from, to := p.Ends()
	return fmt.Sprintf("%s→%s %s %d: %s", from, to, p.Dir, p.Nth, p.Label)
}

var notWord = regexp.MustCompile(`[^a-z0-9]+`)

// slug is the point as a part of a scenario's name.
func (p Point) slug() string {
	name := strings.Trim(notWord.ReplaceAllString(strings.ToLower(p.Name), "-"), "-")
	return strings.ReplaceAll(fmt.Sprintf("%s-%s-%s-%s", p.Link, name, p.Dir, strconv.Itoa(p.Nth)), "--", "-")
}
