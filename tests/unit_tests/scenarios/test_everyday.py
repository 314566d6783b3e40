"""Everyday sentences of four agents: what is learned of them, and what only sounds as if there were something to learn.

A row of what is learned holds the turns, each of a session of its own, and every memory that stands afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig

from langchain_agentmem import AgentMemory, GraphOptions, Scope, create_memory_graph
from langchain_agentmem.extraction import RuleExtractor
from tests.unit_tests.faces.scripted import ScriptedModel

Learn: TypeAlias = Callable[[Sequence[str]], list[str]]

DEPLOYMENT: Final = [
    (["We deploy with Argo CD."], ["The user's team deploys with Argo CD"]),
    (["Our production cluster runs on EKS."], ["The user's team's production cluster runs on EKS"]),
    (["Never deploy on Fridays."], ["Never deploy on Fridays"]),
    (["All deployments need two approvals."], ["All deployments need two approvals"]),
    (["Our release window is Tuesday from 10 to 12."], ["The user's team's release window is Tuesday from 10 to 12"]),
    (["The rollback failed because the lock timed out."], ["The rollback failed because the lock timed out"]),
    (["Our staging database is Postgres 15."], ["The user's team's staging database is Postgres 15"]),
    (["The frontend is written in React."], ["The frontend is written in React"]),
    (["Always run the smoke tests before deploying."], ["Always run the smoke tests before deploying"]),
    (
        ["We use Jenkins.", "We no longer use Jenkins, we use GitHub Actions now."],
        ["The user's team no longer uses Jenkins", "The user's team uses GitHub Actions now"],
    ),
    (
        ["We use Jenkins.", "We moved from Jenkins to GitHub Actions."],
        ["The user's team moved from Jenkins to GitHub Actions"],
    ),
    (
        ["We deploy with Helm.", "We don't deploy with Helm anymore."],
        ["The user's team does not deploy with Helm anymore"],
    ),
    (["I use Vim.", "I switched from Vim to Zed."], ["The user switched from Vim to Zed"]),
    (
        ["We host on Heroku.", "We've moved off Heroku, we host on Fly now."],
        ["The user's team has moved off Heroku", "The user's team hosts on Fly now"],
    ),
    (["We use Datadog.", "We stopped using Datadog."], ["The user's team stopped using Datadog"]),
    (["We use Slack.", "We don't use Slack any longer."], ["The user's team does not use Slack any longer"]),
    (["We run Nagios.", "We replaced Nagios with Prometheus."], ["The user's team replaced Nagios with Prometheus"]),
    (["We use Sentry.", "We got rid of Sentry."], ["The user's team got rid of Sentry"]),
    (
        ["Our on-call lead is Lena Vogel and she lives in Munich."],
        ["The user's team's on-call lead is Lena Vogel", "Lena Vogel lives in Munich"],
    ),
    (["My colleague Ben maintains the ingress."], ["The user's colleague is Ben", "Ben maintains the ingress"]),
    (["We're on Kubernetes 1.28.", "We're on Kubernetes 1.30 now."], ["The user's team is on Kubernetes 1.30 now"]),
    (["Build 812 is broken.", "Build 812 is fixed."], ["Build 812 is fixed"]),
    (
        ["Release 3.1 is blocked.", "Release 3.1 is about the new ingress. It is approved now."],
        ["Release 3.1 is approved"],
    ),
    (["Deployment 4412 failed. It was rolled back."], ["Deployment 4412 has been rolled back"]),
]
SUPPORT: Final = [
    (["My invoice number is INV-2041."], ["The user's invoice number is INV-2041"]),
    (["My order A-118 never arrived."], ["The user's order A-118 never arrived"]),
    (
        ["Ticket 4711 is open.", "Ticket 4711 is about the invoice. It is resolved now."],
        ["Ticket 4711 is resolved"],
    ),
    (["Ticket 4711 is open.", "What about ticket 4711? The ticket is closed."], ["Ticket 4711 is closed"]),
    (["Ticket 4711 is open. It is about the invoice."], ["Ticket 4711 is open"]),
    (["My order A-118 has not arrived. It was shipped on Monday."], ["The user's order A-118 has been shipped"]),
    (["Case 88 concerns the refund, and it has been settled."], ["Case 88 has been settled"]),
    (["Ticket 4711 is open.", "I called about ticket 4711. It has been closed."], ["Ticket 4711 has been closed"]),
    (["Claim 17 is pending. It's still pending.", "Claim 17 was rejected."], ["Claim 17 has been rejected"]),
    (["My son Max is allergic to penicillin."], ["The user's son is Max", "Max is allergic to penicillin"]),
    (["My daughter has a peanut allergy."], ["The user's daughter has a peanut allergy"]),
    (["My wife Ruth is diabetic."], ["The user's wife is Ruth", "Ruth is diabetic"]),
    (
        ["My son Max and my daughter Mia are allergic to nuts."],
        ["The user's son is Max", "Max is allergic to nuts", "The user's daughter is Mia", "Mia is allergic to nuts"],
    ),
    (
        ["My account manager is Priya Patel and she lives in Leeds."],
        ["The user's account manager is Priya Patel", "Priya Patel lives in Leeds"],
    ),
    (
        ["My manager is Priya Patel. She lives in Leeds."],
        ["The user's manager is Priya Patel", "Priya Patel lives in Leeds"],
    ),
    (
        ["My manager is Priya Patel, who lives in Leeds."],
        ["The user's manager is Priya Patel", "Priya Patel lives in Leeds"],
    ),
    (
        ["My husband is called Tom and he works at Siemens."],
        ["The user's husband is called Tom", "Tom works at Siemens"],
    ),
    (
        ["I work at Acme.", "I don't work at Acme anymore, I'm at Globex."],
        ["The user does not work at Acme anymore", "The user works at Globex"],
    ),
    (["I work at Acme.", "I've left Acme."], ["The user has left Acme"]),
    (["I drive a Volvo.", "I sold the Volvo."], ["The user sold the Volvo"]),
    (["I bank with Barclays.", "I no longer bank with Barclays."], ["The user no longer banks with Barclays"]),
    (
        ["My customer number is C-100.", "My customer number is now C-200."],
        ["The user's customer number is now C-200"],
    ),
    (
        ["I live in Leeds.", "I no longer live in Leeds, I live in York now."],
        ["The user no longer lives in Leeds", "The user lives in York now"],
    ),
    (["Please email me instead of calling."], ["Please email the user instead of calling"]),
    (
        ["I'm on the Pro plan.", "I moved from the Pro plan to the Team plan."],
        ["The user moved from the Pro plan to the Team plan"],
    ),
]
TUTOR: Final = [
    (["I struggle with fractions."], ["The user struggles with fractions"]),
    (
        ["I struggle with fractions.", "I no longer struggle with fractions."],
        ["The user no longer struggles with fractions"],
    ),
    (["I'm preparing for the TOEFL."], ["The user is preparing for the TOEFL"]),
    (["I learn best with worked examples."], ["The user learns best with worked examples"]),
    (["I'm in tenth grade."], ["The user is in tenth grade"]),
    (["My maths teacher is Mr. Okafor."], ["The user's maths teacher is Mr. Okafor"]),
    (
        ["My sister Nora studies at MIT. She lives in Boston."],
        ["The user's sister is Nora", "Nora studies at MIT", "Nora lives in Boston"],
    ),
    (["My sister Nora studies at MIT. No, at Yale."], ["The user's sister is Nora", "Nora studies at Yale"]),
    (["My brother Tim is dyslexic."], ["The user's brother is Tim", "Tim is dyslexic"]),
    (["I like geometry.", "I no longer like geometry."], ["The user no longer likes geometry"]),
    (
        ["I prefer videos.", "I don't prefer videos anymore, I prefer books now."],
        ["The user does not prefer videos anymore", "The user prefers books now"],
    ),
    (["I'm learning French.", "I switched from French to Spanish."], ["The user switched from French to Spanish"]),
    (["My exam is on 12 June."], ["The user's exam is on 12 June"]),
    (
        ["I study at Leeds.", "I no longer study at Leeds, I study at York now."],
        ["The user no longer studies at Leeds", "The user studies at York now"],
    ),
    (["Exercise 14 is solved."], ["Exercise 14 is solved"]),
    (["I speak Portuguese."], ["The user speaks Portuguese"]),
    (["I use Anki.", "I stopped using Anki."], ["The user stopped using Anki"]),
    (["Please explain things step by step."], ["Please explain things step by step"]),
    (
        ["My tutor Ada teaches at Oxford. Her husband works there."],
        ["The user's tutor is Ada", "Ada teaches at Oxford"],
    ),
]
PROJECT: Final = [
    (["We decided to use microservices."], ["The user's team decided to use microservices"]),
    (["Our deadline is 3 March."], ["The user's team's deadline is 3 March"]),
    (
        ["Our product owner is Kim Reyes and she works at Initech."],
        ["The user's team's product owner is Kim Reyes", "Kim Reyes works at Initech"],
    ),
    (
        ["My boss Tom lives in Bristol and manages Nora."],
        ["The user's boss is Tom", "Tom lives in Bristol", "Tom manages Nora"],
    ),
    (["Nora is our designer. She lives in Ghent."], ["The user's designer is Nora", "Nora lives in Ghent"]),
    (
        ["We use Trello.", "We don't use Trello anymore, we're on Jira."],
        ["The user's team does not use Trello anymore", "The user's team uses Jira"],
    ),
    (["We use Trello.", "We switched to Linear from Trello."], ["The user's team switched to Linear from Trello"]),
    (
        ["We meet on Mondays.", "We no longer meet on Mondays, we meet on Tuesdays now."],
        ["The user's group no longer meets on Mondays", "The user's group meets on Tuesdays now"],
    ),
    (
        ["Issue 231 is open.", "Issue 231 is about the login page. It was fixed yesterday."],
        ["Issue 231 has been fixed"],
    ),
    (["Pull request 58 is approved. It has been merged."], ["Pull request 58 has been merged"]),
    (["Task 88 is blocked.", "Task 88 is about the login. It is done."], ["Task 88 is done"]),
    (["Issue 9 is blocked.", "Issue 9 is no longer blocked."], ["Issue 9 is no longer blocked"]),
    (
        ["We use MySQL.", "We migrated from MySQL to Postgres last year."],
        ["The user's team migrated from MySQL to Postgres last year"],
    ),
    (["Our budget is 20,000 euros."], ["The user's team's budget is 20,000 euros"]),
    (["My rent is 900 euros."], ["The user's rent is 900 euros"]),
    (
        ["My cofounder Ines is based in Porto. She is allergic to shellfish."],
        ["The user's cofounder is Ines", "Ines is based in Porto", "Ines is allergic to shellfish"],
    ),
    (
        ["I report to Karl.", "I no longer report to Karl, I report to Uma now."],
        ["The user no longer reports to Karl", "The user reports to Uma now"],
    ),
    (["We work in two-week sprints."], ["The user's team works in two-week sprints"]),
]

VIM: Final = ("I use Vim.", "The user uses Vim")
JENKINS: Final = ("We use Jenkins.", "The user's team uses Jenkins")
ACME: Final = ("I work at Acme.", "The user works at Acme")
JAZZ: Final = ("I like jazz.", "The user likes jazz")
TICKET: Final = ("Ticket 4711 is open.", "Ticket 4711 is open")
LEEDS: Final = ("I live in Leeds.", "The user lives in Leeds")

PRIVATE: Final = [
    (
        ["I sing in the church choir.", "I left the church choir last month."],
        ["The user left the church choir last month"],
    ),
    (["I have a Netflix subscription.", "I cancelled Netflix."], ["The user cancelled Netflix"]),
    (["I live with Tom.", "I moved out of Tom's place."], ["The user moved out of Tom's place"]),
    (["I'm on the Plus plan.", "I upgraded to the Pro plan."], ["The user upgraded to the Pro plan"]),
    (["I work night shifts.", "I'm on day shifts now."], ["The user is on day shifts now"]),
    (["I'm saving for a house.", "We bought the house!"], ["The user's family bought the house"]),
    (["I'm looking for a job.", "I found a job at Arup."], ["The user found a job at Arup"]),
    (["I take metformin.", "They took me off metformin."], ["They took the user off metformin"]),
    (
        ["I take metformin every morning.", "My doctor took me off metformin last week."],
        ["The user's doctor took them off metformin last week"],
    ),
    (["We have a rabbit called Flopsy.", "We gave the rabbit away."], ["The user's family gave the rabbit away"]),
    (["I'm a student at Leeds University.", "I graduated last month."], ["The user graduated last month"]),
    (["My flight to Rome is on 3 May.", "My flight got moved to 5 May."], ["The user's flight got moved to 5 May"]),
    (
        ["My flight to Rome is on 3 May.", "My flight to Rome was cancelled."],
        ["The user's flight to Rome was cancelled"],
    ),
    (
        ["My dentist appointment is on 3 May.", "The dentist moved my appointment to 9 May."],
        ["The dentist moved the user's appointment to 9 May"],
    ),
    (
        ["The meeting with Sam is on Monday.", "The meeting with Sam is on Tuesday now."],
        ["The meeting with Sam is on Tuesday now"],
    ),
    (
        ["My landlord is Mr Hill.", "We have a new landlord, Ms Cole."],
        ["The user's group's new landlord is Ms Cole"],
    ),
    (["I'm going to Rome in May.", "I'm back from Rome."], ["The user is back from Rome"]),
    (["My car is at the garage.", "I got my car back."], ["The user got their car back"]),
    (["My dog Rex is ill.", "Rex is well again."], ["Rex is well again"]),
    (["I'm on maternity leave.", "I'm back at work."], ["The user is back at work"]),
    (["I've never been to Japan.", "I went to Japan last month."], ["The user went to Japan last month"]),
    (["I'm unemployed.", "I started at Siemens on Monday."], ["The user started at Siemens on Monday"]),
    (["I'm learning to drive.", "I passed my driving test!"], ["The user passed their driving test"]),
    (
        ["I volunteer at the food bank.", "I no longer have time to volunteer."],
        ["The user no longer has time to volunteer"],
    ),
    (
        ["I live at 12 Hill Road, Leeds.", "My new address is 4 High Street, York."],
        ["The user's new address is 4 High Street, York"],
    ),
    (["My address is 12 Hill Road.", "My address is 4 High Street."], ["The user's address is 4 High Street"]),
    (["I'm 34 years old.", "I'm 35 today!"], ["The user is 35 today"]),
    (["I work at Costa.", "I quit Costa, got a job in a bank."], ["The user quit Costa, got a job in a bank"]),
]
LEFT_AS_IT_WAS: Final = [
    (ACME, "I joined Anna for lunch."),
    (LEEDS, "I love Paris. Not!"),
    (VIM, "She asked whether I still use Vim."),
    (VIM, "Do I still use Vim?"),
    (VIM, "Should I switch from Vim to Emacs?"),
    (VIM, "If I no longer used Vim, I would use Emacs."),
    (VIM, "It's not true that I no longer use Vim."),
    (VIM, 'He said "I no longer use Vim".'),
    (VIM, "Maybe I'll switch from Vim to Emacs."),
    (VIM, "I almost switched from Vim to Emacs."),
    (VIM, "I never switched from Vim to Emacs."),
    (VIM, "I haven't switched from Vim to Emacs."),
    (VIM, "I didn't stop using Vim."),
    (VIM, "I thought about replacing Vim with Emacs."),
    (JENKINS, "Tom says we no longer use Jenkins."),
    (JENKINS, "Why did we move from Jenkins to GitHub Actions?"),
    (JENKINS, "Suppose we moved from Jenkins to GitHub Actions."),
    (JENKINS, "Other teams no longer use Jenkins, they use GitHub Actions now."),
    (JENKINS, "I wonder if we should replace Jenkins with GitHub Actions."),
    (JENKINS, "Have we replaced Jenkins with GitHub Actions?"),
    (JENKINS, "We might no longer use Jenkins next year."),
    (JENKINS, "The article says companies no longer use Jenkins."),
    (JENKINS, "We almost dropped Jenkins."),
    (ACME, "Imagine I don't work at Acme anymore."),
    (ACME, "Does it look like I don't work at Acme anymore?"),
    (ACME, "He claims I don't work at Acme anymore."),
    (JAZZ, "Who no longer likes jazz?"),
    (JAZZ, "My friends think I no longer like jazz."),
    (TICKET, "Is ticket 4711 resolved now?"),
    (TICKET, "Ticket 4711 is about the invoice. Is it resolved now?"),
    (TICKET, "Ticket 4711 is about the invoice. It should be resolved by now."),
    (TICKET, "Ticket 4711 is about the invoice. It isn't resolved."),
    (TICKET, "Ticket 4711 is about the invoice. Maybe it is resolved now."),
    (TICKET, "Ticket 4711 is about the invoice. The agent said it is resolved now."),
    (TICKET, "Ticket 4711 is about invoice 90. It is paid."),
    (TICKET, "Ticket 4711 is about the weather. It is cold today."),
    (TICKET, "Ticket 4711 is about the printer. The printer is old. It is fixed now."),
    (TICKET, "Ticket 4711 and ticket 4712 are about the invoice. It is resolved now."),
    (TICKET, "Suppose ticket 4711 is about the invoice. It is resolved now."),
    (TICKET, "Let me know when ticket 4711 is resolved."),
    (TICKET, "Ticket 4711 will be resolved tomorrow."),
    (TICKET, "Once it is resolved, close ticket 4711."),
    (LEEDS, "My parents no longer live in Leeds, they live in York now."),
    (LEEDS, "When will I move from Leeds to York?"),
]
NOTHING: Final = [
    "Is my son Max allergic to penicillin?",
    "Could my son Max be allergic to penicillin?",
    "My son Max might be allergic to penicillin.",
    "The doctor asked whether my son Max is allergic to penicillin.",
    "If my son Max is allergic to penicillin, what can he take?",
    "Suppose my son Max is allergic to penicillin.",
    "What is penicillin, and who is allergic to it?",
    "Many people are allergic to penicillin.",
    "Max is allergic to penicillin.",
    "My son is tired today.",
    "My son is here.",
    "My mum is blind to my problems.",
    "My manager is great and she listens.",
    "My manager is on holiday and she will be back on Monday.",
    "My colleagues are nice. He lives in Leeds.",
    "My sister met my mother. She works at Acme.",
    "My brother called. She works at Acme.",
    "Who is Priya Patel, and does she live in Leeds?",
    "She lives in Leeds.",
    "It is resolved now.",
    "Ticket 4711 was open.",
    "He works at Acme and she works at Globex.",
    "My manager said she lives in Leeds.",
    "Imagine my manager is Priya Patel and she lives in Leeds.",
    "The build failed, what now?",
    "Can you switch from tabs to spaces in this file?",
    "We moved from page 2 to page 3.",
    "The cursor moved from left to right.",
    "Please change the title from Foo to Bar.",
    "I switched from the sofa to the chair.",
    "I no longer see the error.",
    "I don't see the button anymore.",
    "I don't use it anymore, I'm on my phone.",
    "I'm back from Lidl.",
    "I'm back at work.",
    "I went to Tesco.",
    "I passed the test.",
    "The page doesn't load anymore.",
    "It no longer works.",
    "I'm at the station.",
    "I'm at a loss.",
    "We're at 90 percent.",
]


@pytest.fixture(scope="module")
def learn() -> Iterator[Learn]:
    """Give a function that takes the turns of a user of their own, and returns what stands afterwards."""
    with AgentMemory.in_memory(embeddings=None, consent="assumed") as memory:
        users = iter(range(1_000))

        def told(turns: Sequence[str]) -> list[str]:
            user = f"user-{next(users)}"
            model = ScriptedModel(script=["Noted."] * len(turns))
            graph = create_memory_graph(model, memory=memory, options=GraphOptions(writes="inline"))
            for number, text in enumerate(turns):
                thread: RunnableConfig = {"configurable": {"thread_id": f"{user}-{number}"}}
                graph.invoke({"messages": [("user", text)]}, thread, context={"user_id": user})
            return sorted(it.content for it in memory.long_term.list(scope=Scope(user)))

        yield told


@pytest.mark.parametrize(("turns", "kept"), [*DEPLOYMENT, *SUPPORT, *TUTOR, *PROJECT, *PRIVATE])
def test_what_lasts_is_learned_and_what_is_over_is_ended(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """Each sentence says it in passing, as people do."""
    assert learn(turns) == sorted(kept)


@pytest.mark.parametrize(("told", "said"), LEFT_AS_IT_WAS)
def test_what_only_sounds_like_a_change_changes_nothing(learn: Learn, told: tuple[str, str], said: str) -> None:
    """Questions, doubts, hearsay, quotes, denials, plans, and what is said of others leave all as it was."""
    assert learn([told[0], said]) == [told[1]]


@pytest.mark.parametrize("text", NOTHING)
def test_what_says_nothing_lasting_teaches_nothing(learn: Learn, text: str) -> None:
    """Neither of the user, nor of anybody or anything else."""
    assert learn([text]) == []


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("My son Max is tired today.", "The user's son is Max"),
        ("My son Max is here.", "The user's son is Max"),
        ("My sister Nora called Eva. She works at Acme.", "The user's sister is Nora"),
    ],
)
def test_of_who_is_named_it_is_kept_who_they_are(learn: Learn, text: str, who: str) -> None:
    """And nothing of what passes, nor of whom a pronoun may mean."""
    assert learn([text]) == [who]


@pytest.mark.parametrize(
    ("told", "said", "also"),
    [
        (VIM, "My brother no longer uses Vim, he uses Emacs now.", "The user's brother uses Emacs now"),
        (ACME, "My wife doesn't work at Acme anymore, she's at Globex.", "The user's wife no longer works at Acme"),
        (LEEDS, "I don't live in York anymore.", "The user does not live in York anymore"),
        (JAZZ, "My mother no longer likes jazz.", "The user's mother no longer likes jazz"),
        (TICKET, "If ticket 4711 is resolved, tell me.", "If ticket 4711 is resolved, tell the user"),
    ],
)
def test_what_ends_for_others_stands_for_the_user(learn: Learn, told: tuple[str, str], said: str, also: str) -> None:
    """A change that is another's, or of another thing, is learned beside what was so."""
    assert learn([told[0], said]) == sorted([told[1], also])


@pytest.mark.parametrize(
    ("told", "said", "also"),
    [
        (ACME, "I joined Spotify.", "The user joined Spotify"),
        (ACME, "I work at the Berlin office.", "The user works at the Berlin office"),
        (LEEDS, "I moved to Paris for the weekend.", "The user moved to Paris for the weekend"),
        (LEEDS, "I live in Paris during the summer.", "The user lives in Paris during the summer"),
        (LEEDS, "I live in Excel.", "The user lives in Excel"),
        (("I'm a nurse.", "The user is a nurse"), "I'm a homeowner.", "The user is a homeowner"),
        (("I'm a nurse.", "The user is a nurse"), "I'm a Buddhist.", "The user is a Buddhist"),
    ],
)
def test_what_is_no_other_value_stands_beside(learn: Learn, told: tuple[str, str], said: str, also: str) -> None:
    """A membership is no firm, a belief no calling, a stay no home."""
    assert learn([told[0], said]) == sorted([told[1], also])


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (["My mother lives in Leeds.", "My mother died this morning."], ["The user's mother died this morning"]),
        (["I'm pregnant.", "I had a miscarriage last week."], ["The user had a miscarriage last week"]),
        (["I'm married to Greg.", "Greg died last week."], ["Greg died last week"]),
        (["I've been married to Greg for 12 years.", "I got divorced."], ["The user got divorced"]),
    ],
)
def test_a_loss_ends_what_was(learn: Learn, turns: list[str], kept: list[str]) -> None:
    """Also one of today."""
    assert learn(turns) == kept


def test_nobody_but_the_user_ends_what_was_so() -> None:
    """The assistant's words and a tool's are no statement of the user's."""
    said = ["I no longer use Vim, I use Emacs now.", "Ticket 4711 is about the invoice. It is resolved now."]
    for text in said:
        call = AIMessage(text, tool_calls=[{"name": "search", "args": {}, "id": "c"}])
        messages = [HumanMessage("Hello"), call, ToolMessage(text, tool_call_id="c", name="search"), AIMessage(text)]
        assert RuleExtractor().extract(messages) == []
