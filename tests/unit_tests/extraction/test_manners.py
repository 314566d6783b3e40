"""Orders of units, of a language and of the time of reminders stand by what they order; others need a mark."""

from __future__ import annotations

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.english.endings.endings import PASSING
from langchain_agentmem.extraction import RuleExtractor


def said(text: str) -> list[tuple[str, str]]:
    found = RuleExtractor().extract([HumanMessage(text)])
    return [(it.kind, it.content) for it in found if PASSING not in it.tags]


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
        ("Jargon is okay again.", "Jargon is okay again"),
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


@pytest.mark.parametrize(
    ("polite", "bare"),
    [
        ("Please use metric units.", "Use metric units."),
        ("Use metric units, please.", "Use metric units."),
        ("I want you to speak English with me.", "Speak English with me."),
        ("I'd like you to use Celsius.", "Use Celsius."),
        ("We need you to answer in French.", "Answer in French."),
        ("You should use kilometres.", "Use kilometres."),
        ("Please keep your answers short.", "Keep your answers short."),
        ("Keep your answers short, please.", "Keep your answers short."),
        ("I want your answers to be short.", "Keep your answers short."),
        ("I'd appreciate it if you kept it short.", "Keep it short."),
        ("Please always answer in French.", "Always answer in French."),
        ("Please be brief.", "Be brief."),
        ("I'd like you to be formal.", "Be formal."),
        ("Please answer briefly.", "Answer briefly."),
        ("Please give me short answers.", "Give me short answers."),
        ("Please answer in short sentences.", "Answer in short sentences."),
        ("Please keep emails formal.", "Keep emails formal."),
        ("Remember to use Celsius.", "Use Celsius."),
        ("Please remember to use Celsius.", "Use Celsius."),
        ("Don't forget to speak English with me.", "Speak English with me."),
        ("Make sure you use metric units.", "Use metric units."),
    ],
)
def test_politeness_makes_no_difference_to_what_binds(polite: str, bare: str) -> None:
    """Who asks kindly is to be heeded in every turn as who orders is."""
    assert [kind for kind, _ in said(polite)] == [kind for kind, _ in said(bare)] == ["constraint"]


@pytest.mark.parametrize(
    "text",
    ["I prefer metric units.", "I prefer short answers.", "Please be honest.", "Please explain in more detail."],
)
def test_a_wish_that_is_no_order_of_manner_stays_a_preference(text: str) -> None:
    """What is liked, how somebody is to be, and what is to be said of the last answer binds no later one."""
    assert [kind for kind, _ in said(text)] == ["preference"]


@pytest.mark.parametrize(
    "text", ["Please use plain yoghurt.", "Please use long grain rice.", "Please use formal shoes."]
)
def test_what_is_not_about_answers_binds_none(text: str) -> None:
    """Words of manner are said of other things too."""
    assert [kind for kind, _ in said(text)] == ["preference"]


@pytest.mark.parametrize(
    "text",
    [
        "What's the weather in Oslo? Please use Celsius.",
        "What's the weather in Oslo? Be brief.",
        "Write a bio. Keep it short.",
        "Write me a poem about rain, and please keep it short.",
        "Why is the sky blue? Answer briefly.",
        "Answer briefly, why is the sky blue?",
        "Answer briefly: why is the sky blue?",
        "Please keep your answers short today.",
        "Please keep it short this time.",
        "Could you keep it short?",
        "Would you mind keeping it short?",
        "Do you want me to use Celsius?",
        "She wants you to use Celsius.",
        "I wanted you to use Celsius.",
        "I want you to use Celsius in this report.",
        "If only you would use Celsius.",
        "Maybe use short sentences, please.",
        "My boss keeps it short.",
        'She said "keep your answers short".',
        "He gives me short answers.",
        "Please keep my skirt short.",
        "I remember to use Celsius.",
        "He reminded me to use Celsius.",
        "Remember to use sunscreen.",
        "Don't forget to use the metric wrench.",
        "Use Celsius when I arrive.",
        "Use Celsius when the oven beeps.",
        "Use Celsius when you told me about Oslo.",
        "Use Celsius when you show me the attached table.",
        "Did you find the recipe? Use Celsius.",
        "Why is it so cold in Oslo? Use Celsius.",
        "Why did the pilot use Fahrenheit? Use Celsius.",
        "Explain why you used Fahrenheit. Use Celsius.",
        "The servers are fine now, but no notifications.",
        "The report has tables but no summaries.",
        "There are links but no screenshots.",
    ],
)
def test_the_manner_of_one_answer_or_of_somebody_else_is_not_kept(text: str) -> None:
    """Politely or not: beside a task it is of that task, and what others do, did or ask for orders nothing."""
    assert said(text) == []


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Use metric units when you give me recipes.", "Use metric units when the assistant gives the user recipes"),
        ("Use metric units if you give me recipes.", "Use metric units if the assistant gives the user recipes"),
        (
            "Use kilometres whenever you tell me distances.",
            "Use kilometres whenever the assistant tells the user distances",
        ),
        ("Use Celsius when I ask for the weather.", "Use Celsius when the user asks for the weather"),
        ("Speak French when you talk to me.", "Speak French when the assistant talks to the user"),
        ("If I ask, use Celsius.", "If the user asks, use Celsius"),
        ("When you give me recipes, use metric units.", "When the assistant gives the user recipes, use metric units"),
        ("When I ask for recipes, please use Celsius.", "When the user asks for recipes, please use Celsius"),
    ],
)
def test_an_order_for_a_case_has_the_case_in_its_words(text: str, content: str) -> None:
    """It binds every turn, and says itself of which it is."""
    assert said(text) == [("constraint", content)]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Use Celsius. What is the weather in Oslo?", "Use Celsius"),
        ("Please speak English. Who won yesterday?", "Please speak English"),
        ("Why did you use Fahrenheit? Use Celsius.", "Use Celsius"),
        ("How come you answered in French? Speak English.", "Speak English"),
        ("Why do you answer in German? Please answer in English.", "Please answer in English"),
        ("Who told you to use miles? Use kilometres.", "Use kilometres"),
        ("Didn't I ask you to use Celsius? Use Celsius.", "Use Celsius"),
    ],
)
def test_an_order_in_front_of_a_task_or_behind_a_reproach_stands(text: str, content: str) -> None:
    """The first sets the terms for what follows; the second puts right what the assistant does."""
    assert said(text) == [("constraint", content)]


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Emojis are fine now, but no jargon.", ["Emojis are fine again", "No jargon"]),
        ("No jargon, but emojis are fine now.", ["No jargon", "Emojis are fine again"]),
        ("Emojis are okay again and no lists, please.", ["Emojis are okay again", "No lists"]),
    ],
)
def test_leave_and_ban_in_one_sentence_are_two(text: str, contents: list[str]) -> None:
    """What is allowed again and what is not wanted are heard apart."""
    assert said(text) == [("constraint", it) for it in contents]
