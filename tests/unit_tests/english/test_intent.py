from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_agentmem.english.requests.intent import detect_intent


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hi", "small talk"),
        ("Good morning!", "small talk"),
        ("thanks a lot", "small talk"),
        ("ok, great", "small talk"),
        ("what is 12*7", "arithmetic"),
        ("What's 15% of 80?", "arithmetic"),
        ("(3 + 4) * 2", "arithmetic"),
        ("translate 'hello, my friend' to French", "a request that depends on nothing said before"),
        ("Tell me a joke", "a request that depends on nothing said before"),
        ("What is the capital of France?", "a request that depends on nothing said before"),
        ("   ", "the message holds no words"),
    ],
)
def test_a_message_that_stands_alone_needs_no_memory(text: str, reason: str) -> None:
    """Small talk, sums and stateless one-offs recall nothing, and the receipt says why."""
    intent = detect_intent(text)
    assert (intent.needs_memory, intent.reason) == (False, reason)


@pytest.mark.parametrize(
    "text",
    [
        "What's my budget?",
        "Translate my last mail to French.",
        "Which language should I use?",
        "Continue where we left off",
        "Deploy the service",
        "Plan a trip to Rome",
        "Explain recursion",
        "thanks, and what did we decide about the offsite?",
        "Where does she live?",
    ],
)
def test_in_doubt_memory_is_asked(text: str) -> None:
    """Whatever may hang on something said before is recalled for."""
    assert detect_intent(text).needs_memory


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("forget that I like sushi", "that I like sushi"),
        ("Please delete what you know about my address.", "my address"),
        ("Forget everything you know about my job", "everything you know about my job"),
        ("Could you forget my phone number?", "my phone number"),
        ("remove my birthday from your memory", "my birthday"),
        ("Please forget my email address, I changed it.", "my email address"),
        ("stop remembering my location", "my location"),
        ("Hi! Forget everything I told you about my ex. And what's next?", "my ex"),
        ("Don't store that I have diabetes.", "that I have diabetes"),
        ("Never keep my salary of 5000 euros, please.", "my salary of 5000 euros"),
        ("I have diabetes. Don't store this.", "I have diabetes"),
        ("You should not remember my illness.", "my illness"),
        ("Please do not store in your memory that I am ill.", "that I am ill"),
        ("Don't put in your notes that I am ill.", "that I am ill"),
    ],
)
def test_a_request_to_forget_names_what(text: str, what: str) -> None:
    """Who asks to forget something is understood, and what it is."""
    intent = detect_intent(text)
    assert (intent.is_forget_request, intent.forget_what, intent.forget_all) == (True, what, False)


@pytest.mark.parametrize(
    "text",
    [
        "forget everything about me",
        "Forget me",
        "erase all my memories",
        "Wipe my data",
        "forget everything",
        "delete all memories",
    ],
)
def test_a_request_to_forget_everything_is_told_apart(text: str) -> None:
    """Everything is flagged, never guessed from a topic."""
    intent = detect_intent(text)
    assert (intent.is_forget_request, intent.forget_what, intent.forget_all) == (True, None, True)


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget to buy milk.",
        "I forgot my keys",
        "never forget",
        "Please don't forget that I'm vegan",
        "delete the file report.txt",
        "forget it",
        "You always forget my name",
        "I'll never forget that day",
        "can you delete line 5?",
        "Don't store passwords in the repo.",
        "Never save files to the desktop.",
        "I don't keep meat at home.",
    ],
)
def test_talk_of_forgetting_is_no_request(text: str) -> None:
    """Only an order to forget something is one."""
    assert not detect_intent(text).is_forget_request


@pytest.mark.parametrize(
    "text", ["What do you remember about me?", "what do you know about me", "Show me my memories", "Who am I?"]
)
def test_asking_what_is_remembered_is_recognised(text: str) -> None:
    """The user may ask for all that is kept about them."""
    assert detect_intent(text).is_about_me


def test_asking_what_is_known_of_the_world_is_something_else() -> None:
    """A question about a topic is not one about the user."""
    assert not detect_intent("What do you know about Python?").is_about_me


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("Where do I live and what do I like?", ("Where do I live?", "what do I like?")),
        ("I'm off soon. Is it far? Which bus?", ("Is it far?", "Which bus?")),
        ("Where do I live?", ()),
    ],
)
def test_several_questions_are_told_apart(text: str, questions: tuple[str, ...]) -> None:
    """Each question of a message is searched for on its own; a single one is the message itself."""
    assert detect_intent(text).questions == questions


def test_a_planned_action_is_named() -> None:
    """What the user wants done is known before a tool is called."""
    assert detect_intent("Please deploy the shop to production.").planned_action == "deploy the shop to production"


@given(st.text(max_size=300))
def test_any_text_has_an_intent(text: str) -> None:
    """Detection never fails, and a request to forget always says what."""
    intent = detect_intent(text)
    assert intent.is_forget_request == (intent.forget_what is not None or intent.forget_all or intent.forget_last)
    assert intent.reason


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Delete my address.", "my address"),
        ("Please delete my phone number", "my phone number"),
        ("Could you erase my date of birth?", "my date of birth"),
        ("Erase where I live.", "where I live"),
        ("Remove my home address, please.", "my home address"),
        ("I'd like you to delete my email address.", "my email address"),
        ("Hey, wipe my birthday from memory", "my birthday"),
        ("Remove my phone number from your memory.", "my phone number"),
        ("You can forget about my old job.", "my old job"),
        ("Forget my cat's name", "my cat's name"),
        ("Stop remembering my job", "my job"),
        ("Forget about my address, let's go on", "my address"),
    ],
)
def test_an_order_to_delete_what_is_only_known_is_a_request(text: str, what: str) -> None:
    """An address is nothing that stands in a file, unless the order says so."""
    intent = detect_intent(text)
    assert (intent.is_forget_request, intent.forget_what) == (True, what)


@pytest.mark.parametrize(
    "text",
    [
        "Don't store this.",
        "Please don't remember that.",
        "Don't write this down.",
        "Don't save it in your memory, please.",
        "Forget what I just said.",
        "Forget everything I just said.",
        "Forget the last thing I told you.",
        "Please forget my previous message",
        "Delete what I just told you",
        "Scrap that.",
        "Strike that from the record, please.",
    ],
)
def test_what_was_said_last_can_be_pointed_at(text: str) -> None:
    """It is neither nothing nor everything."""
    intent = detect_intent(text)
    assert (intent.is_forget_request, intent.forget_last, intent.forget_all) == (True, True, False)


@pytest.mark.parametrize(
    "text",
    [
        "I always forget my keys",
        "Forget it, let's go on",
        "Did you delete my file?",
        "Delete my address from the form in test.py",
        "Delete my phone number in settings.json",
        "Remove my phone number from the contact form",
        "Remove the last line",
        "Delete the last message",
        "Erase the last thing I drew",
        "Drop the table",
        "I told him to forget me",
        "Forget about dinner; what about lunch?",
        "Forget about pizza. How about sushi?",
        "Forget about the blue one, let's take the red one",
        "Delete my draft e-mail",
        "Delete my email",
        "Delete my work",
        "Delete my jobs",
        "Remove my name tag",
        "Clear my address bar",
        "Please remove my address field",
        "Don't delete my address",
        "Why did you delete my address?",
        "Should I delete my address?",
        'She said "delete my address".',
        "If you delete my address, I will leave",
        "I deleted my address",
        "They removed my address",
        "Scrap that, use blue instead",
        "Scrap that old car",
        "Don't save it in the repo",
        "Don't save it as a PDF.",
        "Don't keep that one, use the other.",
        "Drop the meeting with Kate from the notes.",
        "Delete the dog from the notes.",
        "Remove my address from the notes.",
        "Remove Kate from the records.",
        "That thing about Sam: delete it from the notes.",
        "Don't store anything in the database",
        "What did I just say?",
        "Repeat what I just said",
        "I forgot the last thing I told you",
        "Please keep this to yourself",
        "This stays between us",
        "We don't store this",
    ],
)
def test_an_order_about_anything_else_is_no_request(text: str) -> None:
    """About files, forms and plans, about secrecy, or in somebody else's mouth."""
    assert not detect_intent(text).is_forget_request


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Forget about my medication", "my medication"),
        ("Please forget which pills I take", "which pills I take"),
        ("Forget who my boss is.", "who my boss is"),
        ("Forget what my salary is", "what my salary is"),
        ("Delete my salary", "my salary"),
        ("Forget my instructions", "my instructions"),
        ("Delete everything about my health", "my health"),
        ("Erase everything you know about my health.", "my health"),
        ("Forget all you know about my work", "all you know about my work"),
        ("Ignore what I said about my diet.", "my diet"),
        ("Please disregard everything I told you about where I live", "where I live"),
        ("I don't want you to know that I love pizza.", "that I love pizza"),
        ("I don't want you knowing where I live", "where I live"),
        ("I'd rather you didn't know my age.", "my age"),
        ("I don't want you to know that Karen is strict.", "that Karen is strict"),
        ("I don't want you to know about Tom", "Tom"),
        ("I love pizza. I don't want you to know that.", "I love pizza"),
    ],
)
def test_a_topic_and_what_nobody_is_to_know_are_named(text: str, what: str) -> None:
    """An order to ignore what was told, and a wish that something be not known, ask to forget it."""
    intent = detect_intent(text)
    assert (intent.is_forget_request, intent.forget_what, intent.forget_all) == (True, what, False)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Forget the last two things I told you.", 2),
        ("Please forget the last two things", 2),
        ("Delete the last three messages I sent you.", 3),
        ("Forget both things I just told you", 2),
        ("Forget my last 4 messages.", 4),
        ("Forget the three things I just said", 3),
        ("Actually, delete that.", 1),
        ("Forget that, please.", 1),
        ("Please forget about this", 1),
        ("Oh wait, forget that.", 1),
    ],
)
def test_so_many_of_the_last_messages_can_be_pointed_at(text: str, count: int) -> None:
    """By a number, or one by a bare word."""
    intent = detect_intent(text)
    assert (intent.forget_last, intent.forget_what, intent.forget_all) == (count, None, False)


@pytest.mark.parametrize(
    "text",
    [
        "Don't forget my birthday",
        "I forget where I work sometimes",
        "Did you forget where I live?",
        "I forgot my medication",
        "She asked me to forget her",
        "Forget it, let's talk about X",
        "Forget that, let's talk about food",
        "Delete my account at Amazon",
        "Delete that file.",
        "Don't delete that.",
        "Did you delete that?",
        "Can I delete that?",
        "Well, I forget that.",
        "He told me to forget that.",
        "Remove that from the list",
        "Ignore what I said.",
        "Ignore what I said about the blue background",
        "Ignore what I said about my draft.",
        "Ignore what I said about my diet and give me a steak recipe",
        "Ignore what I said about my diet for now",
        "Ignore what I said about my diet. What do others eat?",
        "Don't ignore what I said about my diet",
        "Why did you ignore what I said about my diet?",
        "I don't want him to know that I love pizza",
        "You don't need to know where I live",
        "I didn't want you to know that I love pizza",
        "If I don't want you to know that I love pizza, what can I do?",
        "I want you to know that I love pizza",
        "Delete my medication from the list in the app",
        "Delete my instructions",
        "Delete my prescription",
        "Delete everything about the Q3 report",
        "Delete everything about my job",
        "Delete the last two messages",
        "Delete the last two things I drew",
        "I forgot the last two things I told you",
        "Don't forget the last two things I told you",
        "What happens if I forget my medication?",
        "Remind me, I forget my pills",
    ],
)
def test_what_may_be_a_task_or_is_only_told_is_no_request(text: str) -> None:
    """Where memory is not named, and something else may be at hand, or be wished for, it is left alone."""
    assert not detect_intent(text).is_forget_request


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Forget all my brothers.", "my brothers"),
        ("Forget both of my brothers.", "my brothers"),
        ("Forget all my addresses.", "my addresses"),
        ("Forget all of my jobs.", "my jobs"),
        ("Forget all the recipes.", "the recipes"),
        ("Forget all those numbers.", "those numbers"),
        ("Forget all the nonsense about work.", "work"),
        ("Forget the last few things I told you.", "the last few things I told you"),
    ],
)
def test_all_of_something_is_not_all_there_is(text: str, what: str) -> None:
    """Who wants some things gone keeps the rest."""
    intent = detect_intent(text)
    assert (intent.forget_what, intent.forget_all, intent.forget_last) == (what, False, 0)


@pytest.mark.parametrize("text", ["Forget all.", "Forget all my data.", "Forget all the things I told you."])
def test_all_that_was_told_is_everything(text: str) -> None:
    """With nothing behind "all", or a word for whatever is kept."""
    assert detect_intent(text).forget_all


@pytest.mark.parametrize(
    "text",
    [
        "Forget that idea, use blue.",
        "Forget that idea; use blue.",
        "Forget that plan, use the other one.",
        "Forget that number, use 5.",
        "Forget the red one, go with blue.",
        "Forget what I said, use blue.",
        "Forget that story, tell me another one.",
        "Forget all about it.",
    ],
)
def test_talk_that_goes_on_with_something_else_asks_to_forget_nothing(text: str) -> None:
    """What is dropped is of the task, and what to do in its place is said in the same breath."""
    assert not detect_intent(text).is_forget_request
