"""Words by which health is told: illnesses and states of the body, and medicines, also by the stems of their names.

Closed lists and endings, English. "Antidepressants" shares no word with "my medication", nor "asthma" with "my health".
"""

from __future__ import annotations

import re
from typing import Final

from langchain_agentmem._lazy_pattern import lazy_pattern
from langchain_agentmem.english.words.thesaurus import WORKERS

MEDICINES: Final = (
    r"\b\d+ ?(?:mg|mcg|milligrams?) of\b"
    r"|\b(?:anti-?(?:depressants?|biotics?|histamines?|coagulants?|psychotics?|epileptics?|convulsants?|virals?|emetics?)"
    r"|antacids?|aspirin|paracetamol|acetaminophen|insulin|metformin|inhalers?|pain ?killers?|(?:sleeping )?pills?"
    r"|blood thinners?|beta[ -]?blockers?|steroids?|sedatives?|tranquilli[sz]ers?|opioids?|chemo(?:therapy)?"
    r"|contraceptives?|(?:prescription|over-the-counter) (?:drugs?|medicines?)|medications?|medicines?|meds|prescribed"
    r"|[a-z]{3,}(?:pril|sartan|prazole|oxetine|azepam|azolam|cillin|mycin|floxacin|triptan|glutide|cyclovir|profen"
    r"|codone|dopa|gliptin|gliflozin|oxaban|dipine|olanzapine|etiapine|azepine)|co-[a-z]{4,}dopa|co-codamol|co-amoxiclav|[a-z]*(?:statins?|olol)|tecfidera|humira|ozempic|wegovy|eliquis|xarelto|lipitor|crestor|lyrica|synthroid|ventolin|symbicort|concerta"
    r"|vyvanse|lexapro|cymbalta|wellbutrin|seroquel|abilify|lithium|lamotrigine|gabapentin|pregabalin|levothyroxine"
    r"|methotrexate|prednisone|prednisolone|sertraline|citalopram|escitalopram|warfarin|heparin|morphine|prozac|zoloft|xanax|valium|ritalin|adderall)\b"
)
"""Of the endings, those that the World Health Organization keeps for names of medicines."""

NOT_TAKEN: Final = (
    r"\b(?:allerg(?:ic|y|ies)|intoleran(?:t|ce)|react(?:s|ed)? (?:badly )?to|reactions? to|sensitive to"
    r"|(?:can't|can ?not|must not|mustn't|should not|shouldn't|may not|mayn't|never|refuses? to|won't)"
    r" (?:take|have|tolerate|be given))\b"
)
"""What somebody must not be given: no medicine of theirs, and nothing that goes with it when that is forgotten."""

_BONES: Final = "leg|arm|wrist|ankle|foot|hand|finger|toe|hip|knee|rib|collarbone|nose|shoulder|ligament|back|elbow"
ILLNESSES: Final = (
    r"\b(?:asthma(?:tic)?|diabet(?:es|ic)|migraines?|eczema|hypertension|epilep(?:sy|tic)|ana?emi[ac]|insomnia|cancer"
    r"|tumou?rs?|leuka?emia|h\.?i\.?v|depression|depressed|bipolar|anxiety|adhd|autis(?:m|tic)|ptsd"
    r"|(?<!, )(?-i:MS|IBS|PCOS|COPD|OCD|ALS|BPD|EDS|POTS|GERD|PMDD)|multiple sclerosis|dementia|alzheimer's"
    r"|parkinson's|lupus|crohn's|co?eliac|psoriasis|alcoholism|infertil(?:e|ity)|fibromyalgia|neuralgia|obes(?:e|ity)"
    r"|[a-z]{3,}itis|(?:thromb|fibr|cirrh|psych|scler|endometri|tubercul|osteopor|scoli|neur)osis"
    r"|(?:claustro|agora|arachno)phobi[ac]|heart (?:attack|disease|condition|failure)|high blood pressure"
    r"|diagnos(?:ed|is)|suffer(?:s|ed|ing)? from|had a stroke"
    r"|(?:have|has|had|got|with|'ve) (?:[\w'-]+ ){1,3}?(?:disease|disorder|syndrome)"
    r"|(?:chronic|genetic|mental) (?:\w+ )?(?:pain|illness|disease|condition))\b"
    r"(?! (?:patients|survivors|research(?:er|ers)?|charit(?:y|ies)|vaccin\w+|jabs?|awareness|fundraisers?|fun runs?"
    r"|tickets?|star sign|apps?|teams|office|word|excel|outlook|paint|windows)\b)"
)
"""Illnesses by name, and that one is diagnosed: what a diagnosis tells; no charity for them, and no "MS Teams"."""

_ABOUT: Final = (
    r"(?:research(?:es|ed|ing)?|stud(?:y|ies|ied|ying)|treats?|treating|teach(?:es|ing)?|star sign (?:is|was)"
    r"|(?:work|volunteer|car|help)(?:e?s|ing|e)? (?:(?:with|for) )?(?:people with)?|money for|fight against|cure for"
    r"|(?:movie|film|band|song|album|book|novel|game|show|series|play|programme|program|documentary)"
    r"|(?:book|blog|thesis|dissertation|paper|article|podcast|film|documentary|course|lecture|novel|poem|essay|story"
    r"|works?|working)(?: (?:is|was))? (?:on|about))"
)
_TRADE: Final = rf"(?:'m|\bam|\bis|\bas) an? (?:{ILLNESSES}) (?:{WORKERS.replace(' ', '|')}|specialist)\b"
_SUBJECT_MATTER: Final = (
    rf"(?:\b{_ABOUT} (?:(?!(?:my|our|your|his|her|their|the|and|having|being|for)\b)[\w'-]+ )?(?:{ILLNESSES})"
    rf"|{_TRADE})(?!.*\b(?:(?:have|had|got) it|(?:'ve|have|has) had|myself|themselves)\b)"
)
"""What is read, studied or treated: an illness of others, unless the speaker says that they have it."""

AILMENTS: Final = (
    rf"{ILLNESSES}|\b(?:pregnant|pregnancy|miscarriage|disab(?:led|ility)|wheelchair|surgery|concussion|pacemaker"
    r"|transplant|cholesterol|in therapy|hospitali[sz]ed|injured|injury|overweight"
    r"|blood (?:type|group|pressure|sugar))\b"
    r"|(?:'m|'s|\b(?:is|am|are|was|were|been)) (?:(?:very|often|seriously|chronically|really|partly|almost) )?"
    r"(?:ill|sick|unwell|deaf|blind)\b(?! (?:of|date|spot))"
    rf"|\b(?:broke|broken|fractured|sprained|tore|torn) (?:my|your|his|her|their|the|an?) (?:\w+ )?(?:{_BONES})\b"
)
_OF_HEALTH: Final = lazy_pattern(
    rf"(?:the fact )?that (?:I|we)(?:'m| am| are|'ve| have| had| have had| suffer from)\b"
    rf"(?=.{{0,40}}{AILMENTS})(?!.*\b(?:from|in|on) (?:the|this|my) )(?: [\w'-]+){{1,5}}",
    re.IGNORECASE,
)


def is_of_health(what: str) -> bool:
    """Whether words say of the speaker nothing but what ails them: "that I have depression".

    Example:
        >>> is_of_health("that I have depression"), is_of_health("that I have two rows"), is_of_health("my migraine")
        (True, False, False)
    """
    return _OF_HEALTH.fullmatch(what) is not None


def told_apart_from_matter(words: str) -> str:
    """Return a pattern of words for what ails somebody, from the head of a clause, beside what is only its matter."""
    return rf"^(?:{_SUBJECT_MATTER}|(?!{words}).)*+(?:{words})"
