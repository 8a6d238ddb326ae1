import { shownRows } from '../model/object.ts'
import { keptFrom } from '../model/organization.ts'
import { unitsOf } from '../model/quota.ts'
import type { World } from '../world.ts'
import { rowsFault } from './answers.ts'
import { ask, nextLink } from './reads.ts'

/** Reads another page of an earlier history, despite all events since. */
export async function readOn(world: World): Promise<void> {
  const { random, pagings } = world
  if (pagings.length === 0) return
  const paging = random.pick(pagings)
  const organization = world.organizations.find(({ id }) => id === paging.organization)!
  const object = organization.objects.find(({ id }) => id === paging.object)
  const limit = random.whole(1, 12)
  let link: string | undefined
  let after = paging.after
  const [answer] = await ask(world, organization, random.pick(organization.keys), [
    {
      target: paging.link.replace(/limit=\d+/, `limit=${limit}`),
      isPosition: true,
      refused: object === undefined ? { status: 404, code: 'PUBLIC.404_001' } : null,
      due: { amounts: unitsOf([paging.object]), isLimited: true },
      fault(result, headers) {
        const range = { from: paging.after + 1, to: paging.range.to }
        const rows = shownRows(object!, range, keptFrom(organization, world.clock.now()))
        const page = rows.slice(0, limit)
        link = nextLink(headers)
        after = page.at(-1)?.fix.timeDevice ?? after
        if ((link !== undefined) !== rows.length > page.length) return 'pages end elsewhere'
        return rowsFault(result, page, object!, organization.unit)
      },
    },
  ])
  // A refused page is requested again later.
  if (answer?.status === 200 && link !== undefined) Object.assign(paging, { link, after })
  else if (answer?.status === 200 || answer?.status === 404)
    pagings.splice(pagings.indexOf(paging), 1)
}
