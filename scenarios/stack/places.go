package stack

import (
	"fmt"
	"net/url"
)

// Place is where a part of a stack can be reached from this machine, by somebody who plays with it by hand.
type Place struct {
	What, URL string
}

// placeBank says where a bank can be reached.
func (s *Stack) placeBank(name, api, control string) {
	s.place(name+", its API", "http://"+api)
	s.place(name+", control", "http://"+control)
}

func (s *Stack) place(what, url string) { s.places = append(s.places, Place{what, url}) }

// placeServer is a place with a server's URL, with its password only where that is ours.
func (s *Stack) placeServer(what string, server *url.URL) {
	text := server.Redacted()
	if word, _ := server.User.Password(); word == password {
		text = server.String()
	}
	s.place(what, text)
}

// Places are where the parts can be reached, the service first.
func (s *Stack) Places() []Place {
	out := []Place{{"service, through link client", s.clients[0]}}
	for i, way := range s.clients[1:] {
		out = append(out, Place{fmt.Sprintf("service, instance %d", i+1), way})
	}
	return append(out, s.places...)
}

// Token is what the control APIs of banks and proxies want to see in the header Authorization: Bearer TOKEN.
func (s *Stack) Token() string { return s.token }

// BankControl is the URL of the bank's control API, where its ledger is read.
func (s *Stack) BankControl() string { return s.Bank.control() }
