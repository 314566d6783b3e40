"""Durable jobs: work that follows a write."""

from langchain_agentmem.jobs.flows import IN_A_ROW, PUT_OFF, Handler, JobFlows, JobReport, Round
from langchain_agentmem.jobs.service import Jobs
from langchain_agentmem.jobs.taken_in import TakenIn

__all__ = ["IN_A_ROW", "PUT_OFF", "Handler", "JobFlows", "JobReport", "Jobs", "Round", "TakenIn"]
