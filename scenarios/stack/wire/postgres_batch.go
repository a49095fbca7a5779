package wire

import "bytes"

// pgBatch is the messages of the extended protocol up to a Sync or Flush, as they are read.
type pgBatch struct {
	steps    []byte // types of the messages, in order
	said     statement
	executes bool
	parses   bool
	prepared map[string]*statement // by name, nil for one that was closed
	portals  map[string]*statement
}

// take reads one message of a batch.
func (b *pgBatch) take(c *pgConn, kind byte, body []byte) error {
	b.steps = append(b.steps, kind)
	name, rest, ok := bytes.Cut(body, []byte{0})
	switch kind {
	case 'S', 'H':
		return nil
	case 'P':
		sql, _, ended := bytes.Cut(rest, []byte{0})
		if !ok || !ended {
			return foreign("a Parse without its statement")
		}
		s := readSQL(string(sql))
		b.parses = true
		if !b.executes {
			b.said.add(s)
		}
		return note(&b.prepared, string(name), &s)
	case 'B':
		from, _, ended := bytes.Cut(rest, []byte{0})
		if !ok || !ended {
			return foreign("a Bind without its statement")
		}
		s := lookUp(b.prepared, c.prepared, string(from))
		return note(&b.portals, string(name), &s)
	case 'E':
		if !ok {
			return foreign("an Execute without its portal")
		}
		b.execute(lookUp(b.portals, c.portals, string(name)))
		return nil
	case 'C', 'D':
		if !ok || len(name) == 0 || name[0] != 'S' && name[0] != 'P' {
			return foreign("a message %q of neither a statement nor a portal", kind)
		}
		switch {
		case kind == 'D':
			return nil
		case name[0] == 'S':
			return note(&b.prepared, string(name[1:]), nil)
		}
		return note(&b.portals, string(name[1:]), nil)
	}
	return foreign("a message of type %q in a batch", kind)
}

// execute names the batch by what it carries out rather than by what it only prepares.
func (b *pgBatch) execute(s statement) {
	if s.label == "" {
		s.label = "EXECUTE"
	}
	if !b.executes {
		b.executes = true
		b.said = s
		return
	}
	b.said.add(s)
}

// label is the batch's name.
func (b *pgBatch) label() string {
	switch {
	case b.executes:
		return b.said.label
	case b.parses:
		return join("PREPARE", b.said.label)
	}
	names := map[byte]string{'B': "BIND", 'D': "DESCRIBE", 'C': "CLOSE", 'H': "FLUSH"}
	if name := names[b.steps[0]]; name != "" {
		return name
	}
	return "SYNC"
}

// remember keeps what the batch prepared for those to come. That the server may refuse it makes no difference: then
// nothing is carried out by that name.
func (b *pgBatch) remember(c *pgConn) {
	keep(&c.prepared, b.prepared)
	keep(&c.portals, b.portals)
}

func note(in *map[string]*statement, name string, s *statement) error {
	if len(*in) >= maxStatements {
		return foreign("more than %d statements in one batch", maxStatements)
	}
	if *in == nil {
		*in = map[string]*statement{}
	}
	(*in)[name] = s
	return nil
}

// lookUp finds a statement in a batch, or in what was sent before it.
func lookUp(batch map[string]*statement, before map[string]statement, name string) statement {
	if s, ok := batch[name]; ok {
		if s == nil {
			return statement{}
		}
		return *s
	}
	return before[name]
}

// keep takes over what a batch has changed. Beyond a bound it forgets all, and what is carried out by a name that was
// forgotten is called EXECUTE.
func keep(in *map[string]statement, changed map[string]*statement) {
	for name, s := range changed {
		if s == nil {
			delete(*in, name)
			continue
		}
		if *in == nil || len(*in) >= maxStatements {
			*in = map[string]statement{}
		}
		(*in)[name] = *s
	}
}
