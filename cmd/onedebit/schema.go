package main

import "embed"

// schemas are the JSON schemas of the files that people write. They are made from the types that the files are read into.
//
//go:embed schemas/*.json
var schemas embed.FS

// printSchema prints the schema of a kind of file: scenario or target.
func (p *process) printSchema(kind string) error {
	text, err := schemas.ReadFile("schemas/" + kind + ".json")
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return heard(err)
}
