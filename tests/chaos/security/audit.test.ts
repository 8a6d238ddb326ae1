import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readAudit } from './audit.ts'

it('an audit counts, or explains why it does not', () => {
  const counted = (total: number) => JSON.stringify({ metadata: { vulnerabilities: { total } } })
  assert.equal(readAudit(counted(0)).met, true)
  assert.deepEqual(readAudit(counted(2)), { bar: 'no known weakness', measured: '2', met: false })
  const refused = {
    message: '405 Not Allowed - POST https://registry.example/-/npm',
    statusCode: 405,
  }
  assert.match(readAudit(JSON.stringify(refused)).measured, /^left out: 405 .*POST the registry$/)
  assert.match(readAudit('').measured, /^left out: /)
})
