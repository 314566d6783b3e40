"""What is ordered once is no rule; what is ordered for good is one."""

from __future__ import annotations

from typing import Final

import pytest
from langchain_core.messages import HumanMessage

from langchain_agentmem.extraction import RuleExtractor

OF_THE_MOMENT: Final = """
Deploy reports to production.
Please deploy reports to production.
Just deploy code to staging.
Send reports to Anna.
Email reports to the finance team.
Delete messages from the spam folder.
Archive emails from Bob.
Run tests on the staging branch.
Push code to main.
Review code in the parser module.
Merge drafts into one document.
Update docs for version two.
Write tests for the parser.
Write docs for the billing service.
Show messages from Bob.
List reports from March.
Give answers to questions three and four.
Write emails to the twelve applicants.
Make summaries of the three papers.
Keep messages from Bob.
Forward emails about the outage to Karl.
Copy quotes from the interview.
Move drafts to the archive.
Deploy the billing service to all regions.
Send the invitation to all guests.
Delete logs from all servers.
Once the tests pass, deploy the billing service.
If the build is green, deploy the branch to production.
When you have the numbers, send them to Anna.
Restart the server.
Deploy the billing service to production.
Book a table for four on Friday.
Remind me to call Sam tomorrow.
Translate the letter to French.
Summarize emails from today.
Check prices for flights to Rome.
Compare prices of the two laptops.
Fetch reports from the archive.
Test code on the new cluster.
Send drafts to the reviewers.
Create reports for the board meeting.
Book hotels in Rome for all three nights.
Add comments to the parser.
Convert the amounts to euros.
Upload reports to the shared drive.
Run everything on the new cluster.
Delete everything in the temp folder.
Move anything older than May to the archive.
Order things for the party.
As soon as the build is done, deploy the branch.
After the meeting, send Bob the notes.
If you find the invoice, send it to Karl.
I ask that you send me the file.
Stop saying that.
Mum told me to stop saying sorry.
Don't be so sad.
Don't be so hard on yourself.
I love you, always.
""".strip().splitlines()
"""Requests: something is to be done now, or on one occasion."""

FOR_GOOD: Final = """
Always deploy reports from the release branch.
Never deploy on Fridays.
From now on, send reports as PDF.
Reports must be signed off by two people.
Reports should always include a summary.
Send reports every Monday.
Write dates as YYYY-MM-DD.
Show prices in euros.
Give distances in kilometres.
Keep answers short.
Keep summaries under 100 words.
Format dates with dashes.
Round amounts to two decimals.
Please keep emails formal.
Write code in Rust.
Use metric units by default.
Before you deploy, ask me.
Ask me before deleting anything.
Whenever you cite a study, give me the link.
Do not deploy to production without approval.
Include a link in every reply.
Run the tests before every commit.
Encrypt all backups at all times.
Deployments to production need two approvals.
No deployments on Fridays.
Only deploy after the tests pass.
Going forward, deploy to staging first.
Make sure every report has a date.
Avoid jargon in customer emails.
Express temperatures in Celsius.
Keep explanations simple.
Write comments in English.
Sign emails with my initials.
Show times in 24-hour format.
If a deployment fails, tell me first.
Never share customer data.
Answer in short sentences.
Add tests to every pull request.
Keep everything in English.
Use British spelling for all documents.
Quote prices without tax.
Keep code comments in English.
Keep drafts private.
If the build fails, tell me right away.
From now on, deploy to staging first.
After deploying, run the smoke tests.
When I ask for code, give me Python.
By default, write tests first.
Plan dinners for five, always.
Cite your sources, always.
Please correct always my English.
I would ask that you never use American spellings.
Don't be so formal with me.
stop saying certainly
Stop saying great question.
""".strip().splitlines()
"""Rules: how something is to be done or to look whenever it happens."""


@pytest.mark.parametrize("text", OF_THE_MOMENT)
def test_an_order_of_the_moment_is_not_remembered(text: str) -> None:
    """An order without repetition, bound or form is carried out, and teaches nothing."""
    assert RuleExtractor().extract([HumanMessage(text)]) == []


@pytest.mark.parametrize("text", FOR_GOOD)
def test_a_standing_order_is_remembered(text: str) -> None:
    """An order for every time, or of how things are to look, is a constraint or a preference."""
    assert [it.kind for it in RuleExtractor().extract([HumanMessage(text)])] in (["constraint"], ["preference"])
