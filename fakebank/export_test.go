package fakebank

// Speak makes the tests of this package run over a bank that speaks a language made by f; nil is the bank's own.
func Speak(f func(Config) Language) { testLanguage = f }
