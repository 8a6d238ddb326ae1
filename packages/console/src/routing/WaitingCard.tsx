import { useState } from 'react'
import { change } from '../api/client.ts'
import { useWaitingIdents } from '../api/queries.ts'
import type { WaitingIdents } from '../api/types.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Changing } from '../ui/changing.tsx'
import { useSaving } from '../ui/form/use-saving.ts'
import { count, placeText } from '../ui/format.ts'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Problem } from '../ui/state/Problem.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { AssignIdent } from './AssignIdent.tsx'

type WaitingIdent = WaitingIdents['items'][number]

/** The idents that tokens of the deployment bring, and that no organization owns. */
export function WaitingCard() {
  const [assigned, setAssigned] = useState<string | null>(null)
  return (
    <Card
      title={t('Waiting idents')}
      lead={t(
        'These idents arrive with a deployment feed token, but no organization owns them, so their packets are not stored. Assign each ident to an organization, or add a rule that matches it.',
      )}
      actions={
        <Changing>
          <Button onClick={() => setAssigned('')}>{t('Assign ident')}</Button>
        </Changing>
      }
    >
      <Waiting onAssign={setAssigned} />
      {assigned !== null && <AssignIdent ident={assigned} onClose={() => setAssigned(null)} />}
    </Card>
  )
}

function Waiting({ onAssign }: { onAssign: (ident: string) => void }) {
  const waiting = useWaitingIdents()
  const dismiss = useSaving({
    request: (ident: string) => change('POST', '/routing/waiting/dismiss', { ident }),
    refreshes: [['routing']],
    done: (_, ident) =>
      t('{{ident}} was dismissed. It will reappear if its tracker sends again.', { ident }),
  })
  const columns: Column<WaitingIdent>[] = [
    { name: t('Ident'), cell: ({ ident }) => <bdi>{ident}</bdi> },
    { name: t('Device'), cell: ({ name }) => name ?? '' },
    { name: t('Group'), cell: ({ group }) => group ?? '' },
    { name: t('Packets'), number: true, cell: ({ packets }) => count(packets) },
    { name: t('First packet'), cell: ({ first_at }) => <Time value={first_at} as="ago" /> },
    { name: t('Last packet'), cell: ({ last_at }) => <Time value={last_at} as="ago" /> },
    { name: t('Location'), fit: true, cell: placeText },
    {
      name: t('Actions'),
      actions: true,
      cell: ({ ident }) => (
        <>
          <Button
            small
            aria-label={t('Assign {{ident}}', { ident })}
            onClick={() => onAssign(ident)}
          >
            {t('Assign')}
          </Button>
          <Button
            small
            look="quiet"
            aria-label={t('Dismiss {{ident}}', { ident })}
            onClick={() => dismiss.mutate(ident)}
          >
            {t('Dismiss')}
          </Button>
        </>
      ),
    },
  ]
  return (
    <>
      <Problem error={dismiss.error} />
      <Loaded query={waiting} lines={4} none={<p className="soft">{t('No waiting idents.')}</p>}>
        {({ items }) => (
          <Table
            label={t('Waiting idents')}
            columns={columns}
            rows={items}
            rowKey={({ ident }) => ident}
          />
        )}
      </Loaded>
    </>
  )
}
