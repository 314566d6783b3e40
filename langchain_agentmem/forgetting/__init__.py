"""Forgetting by itself: what fades, goes to the archive, and is erased, each by a rule that says why."""

from langchain_agentmem.forgetting.flows import FORGET_JOB
from langchain_agentmem.forgetting.report import ForgetReport
from langchain_agentmem.forgetting.service import Forgetting
from langchain_agentmem.policies.forget import ForgettingPolicy
from langchain_agentmem.policies.forget_fates import Fate

__all__ = ["FORGET_JOB", "Fate", "ForgetReport", "Forgetting", "ForgettingPolicy"]
