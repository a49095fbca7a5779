package reference_test

import (
	"testing"

	"onedebit/reference/referencetest"
)

// On a server the service must do what it does on a file: the same tests, once more.
func TestOnEveryServer(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TRIED on servers with -short: make test does it")
	}
	for _, server := range []string{referencetest.Postgres, referencetest.MySQL} {
		t.Run(server, func(t *testing.T) {
			for name, test := range map[string]func(*testing.T){
				"pay":                      TestPayAndReplay,
				"conflict":                 TestConflict,
				"decline":                  TestDeclineThenNewAttempt,
				"fifty at once":            TestFiftyAtOnce,
				"fifty orders":             TestFiftyOrdersAtOnce,
				"repeat while running":     TestRepeatWhileRunning,
				"two merchants":            TestTwoMerchantsMayUseTheSameOrderNumber,
				"metrics":                  TestMetricsShowTheDistribution,
				"callback before answer":   TestCallbackBeforeTheAnswer,
				"callback repeats":         TestCallbackRepeats,
				"hundred callbacks":        TestHundredCallbacksAtOnce,
				"late fail":                TestLateFailIsAnAlarm,
				"fail then success":        TestFailThenSuccess,
				"callback changes nothing": TestCallbackThatChangesNothing,
				"callback not stored":      TestCallbackIsRefusedWhereItCannotBeStored,
				"reconcile":                TestUnansweredThenReconciled,
				"mismatch":                 TestMismatchIsAnAlarm,
				"close and drive":          TestCloseAndDriveAgainUnderANewNumber,
				"late answer":              TestLateAnswerOfAnOlderNumber,
				"restart":                  TestRestartFinishesEveryState,
				"two instances":            TestTwoInstancesDriveOnce,
				"late success":             TestLateSuccessBesideALiveAttempt,
				"stale move":               TestMoveOfAStaleReaderChangesNothing,
				"unique rows":              TestUniqueRows,
				"not null":                 TestOtherViolationsAreNotDuplicates,
				"all or nothing":           TestTxIsAllOrNothing,
				"attempt, late success":    TestNewAttemptAgainstLateSuccess,
				"queue":                    TestEffectsOnceThoughTheMessageIsReplayed,
				"consume":                  TestConsumeIsOneTransaction,
				"refund":                   TestRefundAndReplay,
				"refund refused":           TestRefundRefused,
				"refunds at once":          TestRefundsAtOnce,
				"refund unanswered":        TestRefundUnanswered,
				"refund refused at bank":   TestRefundRefusedByTheBank,
				"refund by notification":   TestRefundSettledByNotification,
				"refund, restart":          TestRestartFinishesEveryRefund,
				"close":                    TestCloseByState,
				"close, debit on its way":  TestCloseAgainstADebitOnItsWay,
				"expiry":                   TestExpiryAsksTheBank,
				"surplus":                  TestSurplusIsGivenBackOnce,
				"surplus without a word":   TestSurplusIsFoundWithoutAWord,
				"surplus kept":             TestSurplusThatTheBankKeepsIsAnAlarm,
				"early notification":       TestEarlyNotificationIsNotLost,
				"strangers":                TestStrangersAreAskedAbout,
				"refused notifications":    TestRefusedNotificationsAreAlarms,
				"two doors":                TestBothDoorsOfOneOrder,
				"appeal":                   TestAppealTellsTheWholeChain,
				"two instances, all":       TestTwoInstancesAreAsRightAsOne,
				"claims":                   TestClaims,
				"claim of a dead relay":    TestClaimOfADeadRelayEnds,
			} {
				t.Run(name, test)
			}
		})
	}
}
