import { useState } from 'react'
import { useDesk } from '../api/queries.ts'
import type { OrganizationSummary, WayOut } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Card } from '../ui/Card.tsx'
import { Filters } from '../ui/Filters.tsx'
import { CheckField, optionsOf } from '../ui/form/Field.tsx'
import { useAddress } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { EndSharing } from './EndSharing.tsx'
import { KIND_NAMES } from './kinds.ts'
import { SharedTable } from './SharedTable.tsx'

const ALL_KINDS: [string, string][] = [['', t('All')], ...optionsOf(KIND_NAMES)]

/** All ways in which data of an organization reach somebody, each with its end. */
export function SharedPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Shared'), organization.name)
  const desk = useDesk(organization.id)
  const [ending, setEnding] = useState<WayOut | null>(null)
  return (
    <Card
      page
      title={t('Shared')}
      lead={t(
        'People and programs that can see this organization’s data, why, and how much they have read.',
      )}
    >
      <Loaded query={desk} lines={6}>
        {({ items }) => (
          <Ways organization={organization.id} ways={items} onEnd={(way) => setEnding(way)} />
        )}
      </Loaded>
      {ending !== null && (
        <EndSharing organization={organization.id} way={ending} onClose={() => setEnding(null)} />
      )}
    </Card>
  )
}

type WaysProps = {
  organization: number
  ways: WayOut[]
  onEnd: (way: WayOut) => void
}

/** The ways of a kind, or all. Those that ended are there on demand. */
function Ways({ organization, ways, onEnd }: WaysProps) {
  const [address, change] = useAddress()
  const kind = address.get('kind') ?? ''
  const [all, setAll] = useState(false)
  const chosen = ways.filter((way) => kind === '' || way.kind === kind)
  const active = chosen.filter(({ ended_at }) => ended_at === null)
  const rows = all ? chosen : active
  const ended = chosen.length - active.length
  return (
    <>
      <Filters
        legend={t('Show')}
        options={ALL_KINDS}
        value={kind}
        onChange={(next) => change({ kind: next })}
      />
      {rows.length === 0 ? (
        <Empty title={t('Nothing is shared')}>
          {t('Share a vehicle by a link, or issue an API key.')}
        </Empty>
      ) : (
        <SharedTable organization={organization} rows={rows} onEnd={onEnd} />
      )}
      {ended > 0 && (
        <CheckField
          label={t('Show {{count, number}} ended in the last 30 days', { count: ended })}
          value={all}
          onChange={setAll}
        />
      )}
    </>
  )
}
