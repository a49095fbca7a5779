package stack

import (
	"context"
	"fmt"

	"onedebit/scenarios/stack/wire"
	"onedebit/scenarios/targets"
)

// placedBank is one bank of the service and the link that leads to it.
type placedBank struct{ name, link string }

// chooseBanks names the links to the banks: the first one's is bank, and so are all of them together.
func (s *Stack) chooseBanks() {
	for i, name := range s.Target.BankNames() {
		link := BankLink
		if i > 0 {
			link = fmt.Sprintf("%s-%s", BankLink, name)
		}
		s.banks = append(s.banks, &placedBank{name, link})
	}
}

// upBanks brings the banks up inside the harness, each behind a link.
func (s *Stack) upBanks(_ context.Context, place proxied, vars targets.Vars) error {
	s.chooseBanks()
	for _, b := range s.banks {
		role, err := s.bankRole(b.name, vars)
		if err != nil {
			return err
		}
		bank, err := role.open()
		if err != nil {
			return fmt.Errorf("starting bank %s: %w: %w", b.name, ErrNotUp, err)
		}
		s.onClose(func() error {
			ctx, cancel := context.WithTimeout(context.Background(), exitWait)
			defer cancel()
			return bank.Close(ctx)
		})
		api, err := s.serve(bank.API())
		if err != nil {
			return err
		}
		control, err := s.serve(guarded(s.token, bank.Control()))
		if err != nil {
			return err
		}
		s.Bank.each = append(s.Bank.each, newBankAPI(b.name, control, s.token))
		s.placeBank(b.place(), api, control)
		at, err := place(b.link, wire.HTTP, api)
		if err != nil {
			return err
		}
		s.bankVars(b, role, at, vars)
	}
	s.onClose(func() error { s.Bank.close(); return nil })
	s.joinBankLinks()
	return nil
}

// place is what the bank is called among the places of a stack.
func (b *placedBank) place() string {
	if b.name == BankLink {
		return b.name
	}
	return "bank " + b.name
}

// bankVars are the placeholders of a bank.
func (s *Stack) bankVars(b *placedBank, role BankRole, at string, vars targets.Vars) {
	address(vars, b.name, scheme(s.Target.Banks[b.name].TLS), at)
	vars[b.name+".secret"] = role.Bank.Secret
}

// joinBankLinks makes one link of those to several banks.
func (s *Stack) joinBankLinks() {
	if len(s.banks) < 2 {
		return
	}
	var group linkGroup
	for _, b := range s.banks {
		group = append(group, s.links[b.link])
		delete(s.links, b.link)
	}
	s.links[BankLink] = group
}
