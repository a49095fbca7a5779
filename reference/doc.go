// Package reference is a payment service that debits an order exactly once, whatever the network, the bank, the cache,
// the queue and its own process do meanwhile.
//
// One payment goes this way: is the request legal, is it a repeat, is the amount allowed, debit, persist, answer.
// Every step has one defence, and each defence is one field of Parts:
//
//   - the unique rows of the database have the last word about who may pay an order (Schema, Admit);
//   - a trade number is stored before it is sent, and no second number is sent for a payment before the bank has
//     confirmed that the first is closed (Debit, Reconcile);
//   - what the bank did not answer is UNKNOWN, never FAILED (Outcome, Unanswered);
//   - every word of the bank, whether answer, notification or query, goes through one Settle and one transition table;
//   - the event of a SUCCESS is stored in the transaction of the SUCCESS, and consumed once (Event, Consume).
//
// The service holds no state of its own between requests: it can be killed between any two statements and finishes
// what it began when it is started again.
package reference
