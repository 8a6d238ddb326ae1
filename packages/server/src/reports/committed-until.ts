import type { ReaderView } from '../store/change-log.ts'

/** The commit time of the newest change that a view shows. Without one, the time at which the organization was made. */
export async function committedUntil({
  asOf,
  changes,
  organization,
}: Pick<ReaderView, 'asOf' | 'changes' | 'organization'>): Promise<number> {
  const [newest] = await changes(asOf - 1, 1)
  return newest?.at ?? organization.createdAt
}
