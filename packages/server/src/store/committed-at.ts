import type { ReaderView } from './change-log.ts'

/** The commit time of the change with a number. Without one, the time at which the organization was made. */
export async function committedAt(
  { changes, organization }: Pick<ReaderView, 'changes' | 'organization'>,
  seq: number,
): Promise<number> {
  const [change] = await changes(seq - 1, 1)
  return change?.at ?? organization.createdAt
}
