"""The tools of the story: one fails in a way that is worth remembering, the other is better asked about."""

from __future__ import annotations

from typing import Literal

from langchain_core.tools import BaseTool, StructuredTool, ToolException


def create_deploy_tool() -> BaseTool:
    """Return a tool that deploys services, and refuses production to what was not in staging before.

    Each call of this function begins a new day: nothing has been staged yet.
    """
    staged: set[str] = set()

    def deploy(service: str, environment: Literal["staging", "production"]) -> str:
        """Deploy a service to an environment."""
        if environment == "production" and service not in staged:
            msg = f"Error: production refused {service}, because this build has not been in staging"
            raise ToolException(msg)
        staged.add(service)
        return f"{service} runs in {environment}"

    return StructuredTool.from_function(deploy, handle_tool_error=True)


def create_command_tool() -> BaseTool:
    """Return a tool that says it runs commands; it runs none."""

    def run_command(command: str) -> str:
        """Run a command on the server."""
        return f"ran {command}"

    return StructuredTool.from_function(run_command)
