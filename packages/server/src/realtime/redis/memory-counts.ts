import type { QuotaCount } from '../../domain/quota-count.ts'
import type { QuotaCounts } from '../quota-counts.ts'

/** What the copy of the counters does, in a test's own memory. */
export function memoryCounts(): QuotaCounts & { all: Map<string, QuotaCount> } {
  const all = new Map<string, QuotaCount>()
  const nameOf = (each: QuotaCount) => `${each.organization} ${each.day} ${each.object}`
  return {
    all,
    async read(organization, day) {
      const found = [...all.values()].filter((each) => {
        return each.organization === organization && each.day === day
      })
      return new Map(found.map(({ object, count }) => [object, count]))
    },
    async write(counts) {
      for (const each of counts) {
        const count = Math.max(each.count, all.get(nameOf(each))?.count ?? 0)
        all.set(nameOf(each), { ...each, count })
      }
    },
  }
}
