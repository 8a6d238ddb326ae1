/** A relevant requirement, the way in which Fleetgate meets it, and the test that proves it. */
export type Item = {
  /** `API1:2023` of the OWASP API Security Top 10, or `v5.0.0-1.2.4` of the ASVS. */
  id: string
  name: string
  rule: string
  test: TestName
}

/** `name`: the exact name of a test or of a group of tests. */
export type TestName = { file: string; name: string }

export function asvs(id: string, name: string, rule: string, file: string, test: string): Item {
  return { id: `v5.0.0-${id}`, name, rule, test: { file, name: test } }
}
