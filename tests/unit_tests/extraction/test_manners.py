"""Orders of units, of a language and of the time of reminders stand by what they order; others need a mark."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor


def said(text: str) -> list[tuple[str, str]]:
    return [(it.kind, it.content) for it in RuleExtractor().extract([HumanMessage(text)])]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Use metric units.", "Use metric units"),
        ("Use Celsius.", "Use Celsius"),
        ("Use Celsius, thanks.", "Use Celsius"),
        ("ok, use celsius pls", "Use celsius"),
        ("As I said, use Celsius.", "Use Celsius"),
        ("You answered in French. Speak English.", "Speak English"),
        ("use kilometres and kilos, please", "Use kilometres and kilos"),
        ("Use the metric system.", "Use the metric system"),
        ("Use Celsius instead of Fahrenheit.", "Use Celsius instead of Fahrenheit"),
        ("Use imperial units for distances.", "Use imperial units for distances"),
        ("Use the 24-hour clock.", "Use the 24-hour clock"),
        ("By the way, use euros.", "Use euros"),
        ("Stick to metric.", "Stick to metric"),
        ("Speak English with me.", "Speak English with the user"),
        ("Please speak English with me.", "Please speak English with the user"),
        ("Speak English.", "Speak English"),
        ("Switch to French.", "Switch to French"),
        ("Switch back to English, please.", "Switch back to English"),
        ("Let's switch to French.", "Let's switch to French"),
        ("Answer in French, not in English.", "Answer in French, not in English"),
        ("Use Polish.", "Use Polish"),
        ("Send me reminders in the evening, please.", "Send the user reminders in the evening"),
        ("Send me reminders at 9 am.", "Send the user reminders at 9 am"),
        ("Move my reminders to the evening.", "Move the user's reminders to the evening"),
        ("No more summaries.", "No more summaries"),
        ("No more emojis, please.", "No more emojis"),
        ("Emojis are fine now.", "Emojis are fine again"),
        ("Jargon is okay again.", "Jargon is fine again"),
        ("Calls before nine are fine now.", "Calls before nine are fine again"),
    ],
)
def test_what_is_standing_by_its_nature_is_kept_without_a_mark(text: str, content: str) -> None:
    """One order each, which binds every turn after it."""
    assert said(text) == [("constraint", content)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I'm from Lyon. Use Celsius.", 2),
        ("I live in Berlin, so use Celsius, please.", 2),
        ("Use metric units and keep your answers short.", 2),
    ],
)
def test_an_order_beside_a_statement_stands(text: str, kept: int) -> None:
    """What is told beside it asks for nothing that the order could be for."""
    assert len(said(text)) == kept


@pytest.mark.parametrize(
    "text",
    [
        "Can you use Celsius here?",
        "Could you speak English with me?",
        "Do you speak French?",
        "How do I switch to French in Word?",
        "Should I use metric units?",
        "Are emojis fine now?",
        "He told me to use metric units.",
        "My boss told us to speak English.",
        "She wants me to speak English.",
        '"Use metric units," he said.',
        'My teacher says "speak English with me".',
        "Use metric units, said the teacher.",
        "He says emojis are fine now.",
        "Try this:\n```\nuse metric units\n```",
        "> use metric units",
        "Use `metric` units.",
        "Translate this to French.",
        "Say it in French.",
        "Write it in French.",
        "Answer this one in German.",
        "Convert it to Celsius.",
        "Convert to Celsius.",
        "What's the weather in Oslo? Use Celsius.",
        "Write a poem about rain. Use French.",
        "Tell me the weather, use Celsius.",
        "Use Celsius and tell me the weather in Oslo.",
        "Use Celsius: how warm is it in Oslo?",
        "Use Celsius for this one.",
        "Use metric units in this report.",
        "Use Celsius tonight.",
        "Just use Celsius for now.",
        "Use Celsius just this once.",
        "Switch to French tomorrow.",
        "Switch to dark mode.",
        "Use a metric wrench.",
        "Use Celsius or Fahrenheit.",
        "Use whatever units you like.",
        "Use miles to book my flight.",
        "Speak up.",
        "Speak slowly with me.",
        "Let's speak English with him.",
        "Move to English Bay.",
        "Use metrics.",
        "Use polish.",
        "Use French toast.",
        "Use euros to pay him.",
        "Maybe use Celsius.",
        "Imagine I said use Celsius.",
        "I used to use Fahrenheit.",
        "They use Celsius in Europe.",
        "They switched to metric units in 1970.",
        "Remind me in the evening.",
        "Send me a reminder in the evening.",
        "Send me the reminders in the evening.",
        "Send her reminders in the evening.",
        "Did you send me reminders in the morning?",
        "No more coffee for me.",
        "No more wine.",
        "No more code.",
        "There are no more summaries.",
        "Give me bullet points, please.",
        "Give me examples, please.",
        "It's fine now.",
        "Headaches are fine now.",
        "My emails are fine now.",
        "These links are fine now.",
        "Emojis are not fine now.",
        "Emojis are fun.",
        "Emails are fine now that the server is up.",
    ],
)
def test_what_is_asked_once_or_said_of_others_is_no_standing_order(text: str) -> None:
    """Questions, quotes, code, other people, things of the moment and orders for what is asked beside them."""
    assert said(text) == []


@pytest.mark.parametrize("text", ["I speak English with my wife.", "Speak fluent French.", "Speak French at home."])
def test_what_somebody_speaks_is_a_fact(text: str) -> None:
    """Only a language by itself, or one to be spoken with the user, is ordered."""
    assert [kind for kind, _ in said(text)] == ["fact"]
