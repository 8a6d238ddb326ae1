import type { Finding, Part, Trial } from '../part.ts'
import { auditPackages } from './audit.ts'
import { ITEMS } from './items.ts'
import { judge } from './judge.ts'
import { runTests } from './run-tests.ts'

export const part: Part = {
  name: 'security',
  title: 'Security',
  summary:
    'A test attacks Fleetgate for each requirement of the OWASP API Security Top 10 and of OWASP ASVS 5.0.0 that is relevant.',
  about: `
This part has each item of the OWASP API Security Top 10 (2023) and each requirement of the OWASP Application Security Verification
Standard 5.0.0 that is relevant to a read-only API with keys, a feed with tokens, a command line and an operator's listener. Each has
the rule by which Fleetgate keeps it and a test that attacks a real server, or the command line, from outside: see items.ts in
tests/chaos/security. An item is met if its test exists and passed in this run. left-out.ts has the requirements that are not
relevant, with the reason. The two lists together have all 345 requirements, levels 1 to 3, and a test checks that.`,
  run,
}

async function run({ folder, progress }: Trial): Promise<Finding[]> {
  progress(`runs the tests of ${ITEMS.length} items`)
  const tests = ITEMS.map(({ test }) => test)
  const [outcomes, audits] = await Promise.all([runTests(tests, folder), auditPackages()])
  return [...ITEMS.map((item) => judge(item, outcomes)), ...audits]
}
