import { useState } from 'react'
import { useDesk } from '../api/queries.ts'
import type { CreatedLink, OrganizationSummary, WayOut } from '../api/types.ts'
import { RotateDialog } from '../keys/RotateDialog.tsx'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { Filters } from '../ui/Filters.tsx'
import { CheckField, optionsOf } from '../ui/form/Field.tsx'
import { Icon } from '../ui/Icon.tsx'
import { useAddress } from '../ui/page/address.ts'
import { useTitle } from '../ui/page/title.ts'
import { Empty } from '../ui/state/Empty.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { EndSharing } from './EndSharing.tsx'
import { KIND_NAMES } from './kinds.ts'
import { SharedTable } from './SharedTable.tsx'
import { ShareVehicles } from './ShareVehicles.tsx'
import { ShownLink } from './ShownLink.tsx'

type Doing =
  | { act: 'share' }
  | { act: 'end' | 'rotate'; way: WayOut }
  | { act: 'show'; issued: CreatedLink }

const ALL_KINDS: [string, string][] = [['', t('All')], ...optionsOf(KIND_NAMES)]

/** All ways in which data of an organization reach somebody, each with its end. */
export function SharedPage({ organization }: { organization: OrganizationSummary }) {
  useTitle(t('Shared'), organization.name)
  const desk = useDesk(organization.id)
  const [doing, setDoing] = useState<Doing | null>(null)
  return (
    <Card
      page
      title={t('Shared')}
      lead={t(
        'People and programs that can see this organization’s data, why, and how much they have read.',
      )}
      actions={
        <Changing>
          <Button look="primary" onClick={() => setDoing({ act: 'share' })}>
            <Icon name="share" />
            {t('Share vehicles')}
          </Button>
        </Changing>
      }
    >
      <Loaded query={desk} lines={6}>
        {({ items }) => (
          <Ways
            organization={organization.id}
            ways={items}
            onDo={(act, way) => setDoing({ act, way })}
          />
        )}
      </Loaded>
      {doing !== null && <SharedDialog organization={organization} doing={doing} onDo={setDoing} />}
    </Card>
  )
}

type WaysProps = {
  organization: number
  ways: WayOut[]
  onDo: (act: 'end' | 'rotate', way: WayOut) => void
}

/** The ways of a kind, or all. Those that ended are there on demand. */
function Ways({ organization, ways, onDo }: WaysProps) {
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
        <SharedTable organization={organization} rows={rows} onDo={onDo} />
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

type SharedDialogProps = {
  organization: OrganizationSummary
  doing: Doing
  onDo: (doing: Doing | null) => void
}

function SharedDialog({ organization, doing, onDo }: SharedDialogProps) {
  const { id } = organization
  const onClose = () => onDo(null)
  switch (doing.act) {
    case 'share':
      return <ShareVehicles organization={organization} objects={[]} onClose={onClose} />
    case 'end':
      return <EndSharing organization={id} way={doing.way} onClose={onClose} />
    case 'rotate':
      return (
        <RotateDialog<CreatedLink>
          organization={id}
          path={`/organizations/${id}/links/${doing.way.id}`}
          title={t('Rotate {{name}}', { name: doing.way.name })}
          action={t('Rotate link')}
          help={ROTATED}
          onClose={onClose}
          onIssued={(issued) => onDo({ act: 'show', issued })}
        >
          {t('A new link with the same access replaces this one.')}
        </RotateDialog>
      )
    case 'show':
      return <ShownLink organization={id} issued={doing.issued} onClose={onClose} />
  }
}

const ROTATED = {
  overlap: t('The old link works during this time, too.'),
  refused: t('The old link ends immediately.'),
}
