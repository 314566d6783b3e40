"""What agents did: recorded step by step, read back, and held against their checkpoints."""

from langchain_agentmem.runs.rebuilding import Comparison, RunState
from langchain_agentmem.runs.recorder import RunRecorder
from langchain_agentmem.runs.service import AgentRuns
from langchain_agentmem.types.runs import AgentRun, RunStep

__all__ = ["AgentRun", "AgentRuns", "Comparison", "RunRecorder", "RunState", "RunStep"]
