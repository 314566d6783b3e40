"""The story as data: what two users say in four sessions, and what must come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from langchain_agentmem.types.procedures import Policy, Skill

Category = Literal[
    "answer",
    "recalled",
    "action",
    "held",
    "asked",
    "written",
    "refused",
    "superseded",
    "updated",
    "forgotten",
    "status",
    "working",
    "profile",
    "goal",
    "entities",
    "skill",
    "receipt",
    "merged",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a user says, and what must come of it.

    Args:
        expects: For each category texts that must stand in what is shown there; they describe the offline responder,
            a chat model may answer and act as it likes.
        never: Texts that nothing recalled may mention, whatever the model.
        note: Why this turn is in the story, for the reader.
        is_task: The turn is of the user's task, whose state is kept.
        decides: What the user answers where a policy asks before a tool runs.
    """

    says: str
    note: str = ""
    expects: Mapping[Category, tuple[str, ...]] = field(default_factory=dict)
    never: tuple[str, ...] = ()
    is_task: bool = False
    decides: Literal["approve", "reject"] = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The user ticks the application's box "remember me".

    Args:
        is_named: The application notes the user's name in the profile, too.
    """

    note: str = ""
    is_named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What the application looks up before the first word: the task, the profile, the goal, the entities.

    Args:
        expects: As of `Words`.
    """

    expects: Mapping[Category, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The user's task is over: its state is cleared, and its outcome offered to long-term memory."""

    action: str
    note: str = ""
    expects: Mapping[Category, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The team commits how things are done: a skill that is found by what is asked, and a policy that binds all."""

    skill: Skill
    policy: Policy
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Somebody asks why the last turn did not recall what says this."""

    about: str
    expects: Mapping[Category, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The conversation is over: what it left is tidied up, as a process in the background would."""

    note: str = ""
    expects: Mapping[Category, tuple[str, ...]] = field(default_factory=dict)


Step: TypeAlias = Words | Grant | Opening | Done | Saved | Asked | Rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation of one user, in a process of its own.

    Args:
        never: Texts that nothing recalled may mention, and no answer that only quotes memory.
    """

    user: str
    title: str
    steps: tuple[Step, ...]
    never: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the user is called in memories."""
        return self.user.capitalize()


CARD: Final = "4111 1111 1111 1111"
"""A number that payment providers publish for tests: its check digit is right, and it belongs to nobody."""

RELEASE: Final = Skill(
    name="release-a-service",
    description="Deploy a service to production",
    when_to_use="The user asks to deploy or release a service",
    steps=[
        {"name": "stage", "instruction": "Deploy it to staging", "tool": "deploy"},
        {"name": "ship", "instruction": "Deploy it to production", "tool": "deploy"},
    ],
)
STAGING_FIRST: Final = Policy(
    name="production-after-staging",
    description="Production comes after staging",
    rule={"tool": "deploy", "args": {"environment": "production"}},
    requires=[{"tool": "deploy", "args": {"environment": "staging"}, "same": ["service"]}],
)

SESSIONS: Final = (
    Session(
        user="alice",
        title="First meeting",
        steps=(
            Words(
                says="I prefer Python for backend services.",
                note="Alice has not been asked yet.",
                expects={"refused": ("consent",), "answer": ("nothing",)},
            ),
            Grant(note="Words cannot grant it: the application asks, and records the answer.", is_named=True),
            Words(says="I prefer Python for backend services.", expects={"written": ("prefers Python",)}),
            Words(says="I use JavaScript for the frontend.", expects={"written": ("uses JavaScript",)}),
            Words(says="I live in Paris and I am allergic to peanuts.", expects={"written": ("Paris", "peanuts")}),
            Words(says="My goal is to launch the checkout service by June.", expects={"written": ("goal", "June")}),
            Words(
                says="New task: deploy checkout to production.",
                note="Nobody has told the agent how this is done here.",
                is_task=True,
                expects={
                    "action": ("refused checkout",),
                    "written": ("outcome", "production"),
                    "working": ("deploy checkout", "failed"),
                },
            ),
        ),
    ),
    Session(
        user="alice",
        title="A new process: it has learned",
        steps=(
            Opening(
                expects={
                    "working": ("deploy checkout", "failed"),
                    "profile": ("Alice", "prefers Python"),
                    "goal": ("June",),
                    "entities": ("lives in Paris",),
                }
            ),
            Words(
                says="Which language should I use for a new backend service?",
                expects={"recalled": ("prefers Python",), "answer": ("prefers Python",)},
            ),
            Words(
                says="Deploy checkout to production.",
                note="The task goes on. The failure of last time is shown before the action.",
                is_task=True,
                expects={
                    "recalled": ("failed",),
                    "action": ("checkout runs in staging", "checkout runs in production"),
                    "working": ("deploy checkout", "succeeded"),
                },
            ),
            Done(
                action="deploy checkout to production",
                note="The state of the task goes, its outcome stays.",
                expects={"written": ("deploy checkout to production succeeded",)},
            ),
            Words(says="Always deploy to staging first.", expects={"written": ("constraint", "staging first")}),
            Words(says="What is my goal for checkout?", expects={"recalled": ("goal", "June")}),
            Words(
                says="Run `rm -rf /srv/releases`.",
                note="A policy that comes with the package asks a person first; Alice thinks better of it.",
                expects={"asked": ("destructive-commands", "reject"), "answer": ("did not agree",)},
            ),
        ),
    ),
    Session(
        user="alice",
        title="Corrections, and what is better not kept",
        steps=(
            Opening(expects={"profile": ("Alice",), "entities": ("lives in Paris",)}),
            Words(
                says="Actually, I use TypeScript, not JavaScript, for the frontend.",
                expects={"written": ("TypeScript",), "superseded": ("uses JavaScript",)},
            ),
            Words(says="I moved to Berlin.", expects={"written": ("Berlin",), "superseded": ("Paris",)}),
            Words(
                says="Where do I live since I moved?",
                note="What she said of Paris is still said; it comes below, and marked.",
                expects={"recalled": ("Berlin", "superseded by"), "answer": ("Berlin",)},
            ),
            Words(
                says="I strongly prefer Python for backend services.",
                expects={"written": ("strongly prefers Python",)},
            ),
            Words(says=f"Please remember that my credit card is {CARD}.", expects={"refused": ("sensitive_data",)}),
            Words(says="Note: maybe I will switch to Rust.", expects={"refused": ("unstable",)}),
            Saved(
                skill=RELEASE,
                policy=STAGING_FIRST,
                note="Files in a git repository, reviewed like code; from now on they hold for everybody's agent.",
            ),
            Words(
                says="Deploy invoices to production.",
                note="Her own rule comes complete with every recall; the team's skill is found by what is asked.",
                expects={
                    "recalled": ("staging first",),
                    "skill": (RELEASE.name,),
                    "action": ("invoices runs in staging", "runs in production"),
                },
            ),
            Words(says="Please forget that I am allergic to peanuts.", expects={"forgotten": ("peanuts",)}),
            Words(says="Am I allergic to anything?", expects={"answer": ("nothing",)}, never=("peanuts",)),
            Asked(about="allergic to peanuts", expects={"receipt": ("forgotten",)}),
            Rest(
                note="What says the same becomes one memory.",
                expects={"merged": ("strongly prefers Python for backend services",)},
            ),
            Opening(expects={"profile": ("Berlin",), "entities": ("lives in Berlin",)}),
        ),
        never=(CARD,),
    ),
    Session(
        user="bob",
        title="Another user, the same database",
        steps=(
            Grant(),
            Opening(),
            Words(says="Which language should I use for a new backend service?", expects={"answer": ("nothing",)}),
            Words(says="What did Alice tell you? Where does she live?", expects={"answer": ("nothing",)}),
            Words(says="I prefer Rust for backend services.", expects={"written": ("Bob prefers Rust",)}),
            Words(
                says="Which language should I use for a new backend service?",
                expects={"recalled": ("Bob prefers Rust",), "answer": ("Bob prefers Rust",)},
            ),
            Words(
                says="Deploy reports to production.",
                note="What Alice's agent learned is hers. The team's policy binds this one, too.",
                expects={"answer": (STAGING_FIRST.description,)},
            ),
        ),
        never=("alice", "berlin", "python", "typescript", "checkout", "staging first"),
    ),
)
