"""Question, guess, passing state, instruction: what counts as one, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.text.utterances import is_instruction, is_question, is_transient, is_unstable

QUESTIONS = """Don't you love Python?
Don't you love Python
I wonder whether Rust is faster
I'm wondering if tea helps
Alice wants to know whether Rust is faster
What is my name
What's my favourite colour
Can you deploy this
Do you know Alice
Should I use Rust
Is it raining
Are the tests green
Where do I live？
¿Dónde vivo
How many cats do I have
Why does it fail
tell me what time it is
May I call you Bob
What about tea
I like tea. Do you?
When is the release""".splitlines()
NO_QUESTIONS = """What I like most is tea
What is important to me is honesty
Where I live is quiet
When I work I listen to jazz
Who knows me well calls me Al
Why I love Python: it is clear
Which is why I prefer tea
Will Smith is my favourite actor
Isabel is my sister
May is my birthday month
My favourite film is "Who Framed Roger Rabbit?"
Do not deploy on Fridays
Have tests run before merging
I know what I want
I don't know you
Could you always answer in German?
see https://example.org/a?b=c""".splitlines()
UNSTABLE = """Alice may have moved
Alice's favourite colour is green, I think
Alice lives in Bonn I believe.
Alice may be allergic to nuts
He may be wrong
I may switch to Rust
ALICE MAY HAVE MOVED
Maybe I like tea
Ｍａｙｂｅ tea
ma\u200bybe tea
I might move to Berlin
I'm not sure about Rust
I'm thinking about learning Go
Alice is considering a new job
I probably prefer tea
Perhaps Alice is vegan
Alice could be allergic to nuts
If I had a boat I would sail
If I were rich I'd move
If I move to Berlin I need a flat
If Alice moved she would tell
I would move if I won
Suppose I moved to Rome
I don't know if I like it
I haven't decided yet
I guess I like tea
Vielleicht ziehe ich um
Maybe always deploy to staging first
Always deploy to staging first, I guess""".splitlines()
STABLE = """May is my birthday month
Alice always says what I think
Alice writes the way I believe
My birthday is in May
my birthday is in may
I met my wife in may 2010
my kids are born in april and may
born on 5 May 1990
Alice May Smith is my boss
You may call me Bob
users may not delete records
My favourite song is "You Might Think"
She loves the novel 'Maybe in Another Life'
The word `perhaps` is my favourite
My function is called maybe_retry
He fought with all his might
I love thinking about philosophy
I could not find the key
I'd like tea if possible
If the build fails, notify me
If I say deploy, please use staging
If I drink milk I get sick
I get a headache if I drink wine
Always ask if you are not sure""".splitlines()
TRANSIENT = """I'm tired today
I’m tired
Alice is tired today
I'm hungry
Alice is busy
Today I feel sad
I have a headache
I'm in a meeting
I want pizza tonight
I am currently in Rome
I'm currently tired
I'm currently on the bus
I'm currently waiting for Ben
I'm currently a bit stressed
I'm currently working on the report
I'm currently working in the garden
I'm currently studying for an exam
I'm currently using the bathroom
I currently have a headache
I currently have a lot of work
Currently I'm in a meeting
I'm currently at work
I'm tired currently
User is currently unavailable
right now I use vim
at the moment I prefer tea
tomorrow I have a dentist appointment
For now I use sqlite
I'm on my way home""".splitlines()
LASTING = """I moved to Berlin today
I currently live in Lyon
Currently, I live in Lyon
I live in Lyon currently
I'm currently living with my sister
Alice currently lives in Lyon
The user is currently working as a nurse in Lyon
I'm currently working at Acme
I'm currently a nurse at Guy's Hospital
I'm currently unemployed
My brother is currently on parental leave
I'm currently studying law
I'm currently doing a PhD in physics
Alice is currently learning Spanish
I'm currently single
Ben is currently dating Emma
We currently use Postgres
I'm currently using Helix
I currently have two cats
I'm currently taking 20 mg of citalopram
I started a new job today
Starting today I'm vegan
I'm usually busy on Mondays
Alice is busy on Mondays
I am always tired in the morning
I'm tired of Java
I'm hungry for knowledge
I suffer from chronic headaches
I read USA Today
My favourite film is "Right Now, Wrong Then"
Always check what is currently deployed
I have a dog""".splitlines()
INSTRUCTIONS = """Keep it brief, and never deploy on Fridays
Always deploy to staging first
always deploy to staging first
ALWAYS DEPLOY TO STAGING FIRST
Ａｌｗａｙｓ deploy to staging first
“Always deploy to staging first”
Never push to main
Answer in English from now on
Please keep your answers short going forward.
Never feed the cat
Do not store my address
Don't deploy on Fridays
Don't ever push to main
Make sure to run tests
From now on answer in German
From now on, please use TypeScript
Going forward, use tabs
Please always use metric units
please never call me
Remember: never deploy on Fridays
You must never deploy on Friday
Could you always answer in German?
I want you to always answer briefly
Alice wants the agent to never deploy on Friday
Avoid jargon
Stop using emojis
Under no circumstances delete data""".splitlines()
NO_INSTRUCTIONS = """I answer in English from now on
Answers come in English from now on
I always deploy to staging first
Alice always deploys to staging first
We always deploy on Mondays
I never push to main
Never been to Paris
Always wanted a dog
Always loved tea
Always late
Never mind
Always here to help
You must be tired
Don't like mushrooms
I keep it brief, and never deploy on Fridays
Use Vim and never looked back
Keep it brief
Don't you love Python?
From now on I live in Berlin
From now on Alice works at Acme
going forward I'm vegan
Please summarise this
Alice told Bob to never call
Alice said "always deploy to staging first" is dumb
The band is called Never Shout Never""".splitlines()


@pytest.mark.parametrize("text", QUESTIONS)
def test_a_question_is_known_with_and_without_its_mark(text: str) -> None:
    """Inversion, question words, indirect questions: all ask."""
    assert is_question(text)


@pytest.mark.parametrize("text", NO_QUESTIONS)
def test_a_statement_with_a_question_word_is_no_question(text: str) -> None:
    """Relative clauses, names, quoted titles, standing requests: none asks."""
    assert not is_question(text)


@pytest.mark.parametrize("text", UNSTABLE)
def test_a_guess_a_plan_and_a_hypothesis_are_unstable(text: str) -> None:
    """What is not certain, not decided or not real is known as such, however it is written."""
    assert is_unstable(text)


@pytest.mark.parametrize("text", STABLE)
def test_a_month_a_quotation_and_a_rule_are_not_unstable(text: str) -> None:
    """May the month, permission, quoted hedges, polite wishes and conditional truths are certain."""
    assert not is_unstable(text)


@pytest.mark.parametrize("text", TRANSIENT)
def test_how_things_are_just_now_is_transient(text: str) -> None:
    """States of the body, of the day and of the moment pass."""
    assert is_transient(text)


@pytest.mark.parametrize("text", LASTING)
def test_what_began_today_or_recurs_is_not_transient(text: str) -> None:
    """An event of today lasts, a habit returns, and a title says nothing about now."""
    assert not is_transient(text)


def test_a_goal_may_be_current_but_not_of_this_evening() -> None:
    """The word "currently" does not make a goal pass, "tonight" does."""
    assert not is_transient("I am currently training for a marathon", is_lasting=True)
    assert is_transient("I want to finish the report tonight", is_lasting=True)


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_an_instruction_is_known(text: str) -> None:
    """Imperatives for the future are instructions, also when politely put."""
    assert is_instruction(text)


@pytest.mark.parametrize("text", NO_INSTRUCTIONS)
def test_a_habit_or_a_report_is_no_instruction(text: str) -> None:
    """What somebody does, did or told another instructs nobody here."""
    assert not is_instruction(text)


@given(st.sampled_from(STABLE + LASTING + NO_QUESTIONS), st.sampled_from(["maybe", "I might", "right now", "why?"]))
def test_a_quotation_changes_no_verdict(text: str, quoted: str) -> None:
    """Adding what somebody else said, in quotation marks, makes nothing a guess, passing or a question."""
    longer = f'{text.rstrip(".")}, as in "{quoted}"'
    assert is_unstable(longer) == is_unstable(text)
    assert is_transient(longer) == is_transient(text)


@pytest.mark.parametrize("unit", ["if I ", "would ", "'a ", "today ", "please ", "ok, ", "may ", "\u200b", "a.\n", '"'])
def test_long_text_is_judged(unit: str) -> None:
    """Twenty thousand repetitions of what a rule starts with end in an answer."""
    text = unit * 20_000 + "x"
    assert {f(text) for f in (is_question, is_unstable, is_transient, is_instruction)} <= {True, False}
