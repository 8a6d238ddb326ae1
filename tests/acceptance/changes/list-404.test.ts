import { describe, it } from 'node:test'
import { assertRefused } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'

const fleet = await startFleet()

describe('GET /changes: 404', () => {
  it('finds none of the objects', async () => {
    const answer = await fleet.ask(() => '/changes?ids=999999999')
    assertRefused(answer, 404, 'PUBLIC.404_001', 'Object not found.')
  })
})
