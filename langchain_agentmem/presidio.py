"""Microsoft Presidio as a detector of ours: its patterns and checksums, without a model and without a network."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Final

from langchain_agentmem._checks import check_labels, check_unit, install_hint
from langchain_agentmem.errors import ConfigurationError
from langchain_agentmem.policies.matches import SensitiveMatch
from langchain_agentmem.policies.protecting import type_named

ENTITIES: Final = (
    "CREDIT_CARD",
    "CRYPTO",
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "IP_ADDRESS",
    "MEDICAL_LICENSE",
    "PHONE_NUMBER",
    "UK_NHS",
    "US_BANK_NUMBER",
    "US_DRIVER_LICENSE",
    "US_ITIN",
    "US_PASSPORT",
    "US_SSN",
)
"""What Presidio finds by patterns and checksums in English; names of people need a spaCy model with a vocabulary."""

TYPES: Final = frozenset(map(type_named, ENTITIES))
"""The same in our words."""

MIN_SCORE: Final = 0.4
"""Of Presidio's own scores: below it stand patterns without a checksum, and without a word beside them that names
them (any nine digits are a bank account); with such a word, and of e-mail addresses, it is above."""


class PresidioDetector:
    """Finds what Presidio's recognizers find, for any place that takes a detector. It needs the extra `pii`.

    The analyzer is made with the first text, and shared by threads.

    Args:
        entities: Which of Presidio's entities are looked for.
        language: Of the texts; the analyzer must know it.
        min_score: The lowest of Presidio's scores that counts.
        analyzer: An `AnalyzerEngine` of yours, for example with a spaCy model that finds names; `None`: one on a blank
            pipeline, which reads nothing from a network.

    Raises:
        ConfigurationError: Presidio is not installed, or an argument cannot work.

    Example:
        >>> find = PresidioDetector(entities=["EMAIL_ADDRESS"])  # doctest: +SKIP
        >>> find("write to alice@example.org")  # doctest: +SKIP
        [SensitiveMatch(start=9, end=26, type='email')]
    """

    def __init__(
        self,
        *,
        entities: Sequence[str] = ENTITIES,
        language: str = "en",
        min_score: float = MIN_SCORE,
        analyzer: Any = None,  # noqa: ANN401  (Presidio's `AnalyzerEngine`, which need not be installed)
    ) -> None:
        """Check the arguments; nothing is loaded yet."""
        self._entities = list(check_labels("entities", entities))
        self.types = frozenset(map(type_named, self._entities))
        self._language = language
        self._min_score = check_unit("min_score", min_score)
        if analyzer is None and find_spec("presidio_analyzer") is None:
            msg = f"PresidioDetector needs Presidio; {install_hint('pii')}"
            raise ConfigurationError(msg)
        if analyzer is not None and not callable(getattr(analyzer, "analyze", None)):
            msg = f"analyzer must be Presidio's AnalyzerEngine, got {type(analyzer).__name__}"
            raise ConfigurationError(msg)
        self._analyzer = analyzer
        self._lock = threading.Lock()

    def __call__(self, text: str) -> list[SensitiveMatch]:
        """Return what is sensitive in `text`, in order, under our names of types."""
        if not text.strip():
            return []
        found = self._engine().analyze(
            text=text, language=self._language, entities=self._entities, score_threshold=self._min_score
        )
        return sorted(SensitiveMatch(it.start, it.end, type_named(it.entity_type)) for it in found)

    def _engine(self) -> Any:  # noqa: ANN401  (as above)
        with self._lock:
            if self._analyzer is None:
                self._analyzer = _blank_engine(self._language)
        return self._analyzer


def _blank_engine(language: str) -> Any:  # noqa: ANN401  (as above)
    import spacy
    import tldextract
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    # The list of top-level domains that is shipped: the default looks for a newer one on the network.
    tldextract.extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    engine = SpacyNlpEngine(models=[{"lang_code": language, "model_name": f"blank_{language}"}])
    engine.nlp = {language: spacy.blank(language)}
    return AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
