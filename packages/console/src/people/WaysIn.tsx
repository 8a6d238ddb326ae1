import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { change } from '../api/client.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { type Column, Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'

/** A way in that can be ended. Columns that none of a list has are left out. */
export type WayIn = {
  id: number
  /** The address, the program or the browser. */
  name: string
  /** Shown after the name, and below it. */
  badges?: ReactNode
  detail?: ReactNode
  role?: string
  issuedBy?: string
  createdAt: string
  /** Null: never. */
  usedAt?: string | null
  endsAt: string | null
  /** It is the one of this page, which signing out ends. */
  isOwn?: boolean
}

const KINDS = {
  invitation: {
    many: t('Open invitations'),
    who: t('For'),
    verb: t('Withdraw'),
    done: 'withdrawn',
    effect: t('Its link stops working at once.'),
  },
  token: {
    many: t('Tokens'),
    who: t('Name'),
    verb: t('Revoke'),
    done: 'revoked',
    effect: t(
      'Programs that use it get 401 from now on. Tokens that it issued end as well. This cannot be undone.',
    ),
  },
  session: {
    many: t('Sessions'),
    who: t('Browser'),
    verb: t('End'),
    done: 'ended',
    effect: t('This browser is signed out at once.'),
  },
}

type WaysInProps = {
  kind: keyof typeof KINDS
  rows: readonly WayIn[]
  /** The path that they have in common. */
  path: string
  /** The key of the query that lists them. */
  queryKey: readonly unknown[]
}

/** Invitations, tokens or sessions, each with a button that ends it. */
export function WaysIn({ kind, rows, path, queryKey }: WaysInProps) {
  const client = useQueryClient()
  const { many, who, verb, done, effect } = KINDS[kind]
  const [ended, setEnded] = useState<WayIn | null>(null)
  const columns: Column<WayIn>[] = [
    { name: who, cell: (each) => <Name way={each} /> },
    ...columnsOf(rows),
    {
      name: t('Actions'),
      actions: true,
      cell: (each) =>
        each.isOwn !== true && (
          <Button
            small
            look="remove"
            aria-label={t('{{verb}} the {{kind}} {{name}}', { verb, kind, name: each.name })}
            onClick={() => setEnded(each)}
          >
            {verb}
          </Button>
        ),
    },
  ]
  return (
    <>
      <Table label={many} columns={columns} rows={rows} rowKey={({ id }) => id} />
      {ended !== null && (
        <Confirm
          title={t('{{verb}} the {{kind}} {{name}}?', { verb, kind, name: ended.name })}
          action={`${verb} ${kind}`}
          onClose={() => setEnded(null)}
          onConfirm={async () => {
            await change('DELETE', `${path}/${ended.id}`)
            await client.invalidateQueries({ queryKey })
            toast(t('The {{kind}} {{name}} was {{done}}.', { kind, name: ended.name, done }))
          }}
        >
          <p>{effect}</p>
        </Confirm>
      )}
    </>
  )
}

function Name({ way: { name, badges, detail } }: { way: WayIn }) {
  return (
    <div>
      {name} {badges}
      {detail !== undefined && <div className="soft small">{detail}</div>}
    </div>
  )
}

function columnsOf(rows: readonly WayIn[]): Column<WayIn>[] {
  const has = (field: keyof WayIn) => rows.some((each) => each[field] !== undefined)
  return [
    ...(has('role') ? [{ name: t('Role'), cell: ({ role }: WayIn) => role }] : []),
    ...(has('issuedBy') ? [{ name: t('Issued by'), cell: ({ issuedBy }: WayIn) => issuedBy }] : []),
    { name: t('Since'), cell: ({ createdAt }) => <Time value={createdAt} as="ago" /> },
    ...(has('usedAt')
      ? [{ name: t('Last used'), cell: ({ usedAt }: WayIn) => <Time value={usedAt!} as="ago" /> }]
      : []),
    {
      name: t('Ends'),
      cell: ({ endsAt }) => <Time value={endsAt} as="minute" none={t('never')} />,
    },
  ]
}
