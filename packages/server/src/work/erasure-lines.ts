import { createHmac } from 'node:crypto'
import { type ErasureLine, erasureName } from '../base/domain/erasure-line.ts'
import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import type { Store } from '../engine/store/store.ts'

/*
 * The deleted ranges of a whole deployment as lines, which outlive a restored backup.
 */

type Erased = Pick<Store, 'objects' | 'positions' | 'secret'>

/** A name that all copies and backups of a deployment have, and that tells nothing of its secret. */
export async function deploymentName({ secret }: Pick<Store, 'secret'>): Promise<string> {
  return createHmac('sha256', await secret())
    .update('erasures')
    .digest('hex')
    .slice(0, 16)
}

export async function erasureLines(store: Erased): Promise<ErasureLine[]> {
  const deployment = await deploymentName(store)
  const lines: ErasureLine[] = []
  let owner: MonitoredObject | null = null
  // They are in the order of their objects.
  for (const each of await store.positions.erasures(null, null)) {
    const { organization, object, from, to, erasedAt } = each
    if (owner?.organization !== organization || owner.id !== object) {
      owner = await store.objects.find(organization, object)
    }
    if (owner === null) continue
    const { createdAt } = owner
    lines.push({ deployment, organization, object, createdAt, from, to, erasedAt })
  }
  return lines
}

/**
 * Deletes again what lines of this deployment name and its data does not: an older backup was restored. `stored`: the
 * lines of its data. Returns the number of ranges, how many lines are of other deployments, or of objects that are missing
 * or were made again, and how many are refused because their object has too many ranges.
 */
export async function eraseAgain(
  store: Erased,
  lines: Iterable<ErasureLine>,
  stored: readonly ErasureLine[],
): Promise<{ erased: number; others: number; refused: number }> {
  const deployment = await deploymentName(store)
  const known = new Set(stored.map(erasureName))
  const counts = { erased: 0, others: 0, refused: 0 }
  for (const line of lines) {
    if (known.has(erasureName(line))) continue
    const { organization, object, createdAt, erasedAt } = line
    const owner = line.deployment === deployment && (await store.objects.find(organization, object))
    const isOurs = owner && owner.createdAt === createdAt
    const erased = isOurs ? await store.positions.erase(organization, object, line, erasedAt) : null
    if (erased === null) counts.others += 1
    else if (erased === 'too_many') counts.refused += 1
    else counts.erased += 1
  }
  return counts
}
