"""A check for schemathesis: a request that is valid by the document is not refused.

What a schema of single parameters cannot tell stands at each operation as x-refusals, by the problem's code or its
member "conflict", or by code and parameter ("invalidParameter:provider"). A refusal for another reason is a finding.
"""

import schemathesis


@schemathesis.check
def valid_by_the_document_is_taken(ctx, response, case):
    if response.status_code not in (400, 414, 415, 422):
        return
    problem = response.json()
    refusals = case.operation.definition.raw.get("x-refusals", {})
    if problem.get("conflict") and "conflict" in refusals:
        return
    code = problem.get("code")
    if code in refusals or f"{code}:{problem.get('parameter')}" in refusals:
        return
    raise AssertionError(f"refused: {problem.get('code')} {problem.get('parameter')}: {problem.get('detail')}")
