import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { change } from '../api/client.ts'
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
    many: 'Open invitations',
    who: 'For',
    verb: 'Withdraw',
    done: 'withdrawn',
    effect: 'Its link stops working at once.',
  },
  token: {
    many: 'Tokens',
    who: 'Name',
    verb: 'Revoke',
    done: 'revoked',
    effect:
      'Programs that use it get 401 from now on. Tokens that it issued end as well. This cannot be undone.',
  },
  session: {
    many: 'Sessions',
    who: 'Browser',
    verb: 'End',
    done: 'ended',
    effect: 'This browser is signed out at once.',
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
      name: 'Actions',
      actions: true,
      cell: (each) =>
        each.isOwn !== true && (
          <Button
            small
            look="remove"
            aria-label={`${verb} the ${kind} ${each.name}`}
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
          title={`${verb} the ${kind} ${ended.name}?`}
          action={`${verb} ${kind}`}
          onClose={() => setEnded(null)}
          onConfirm={async () => {
            await change('DELETE', `${path}/${ended.id}`)
            await client.invalidateQueries({ queryKey })
            toast(`The ${kind} ${ended.name} was ${done}.`)
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
    ...(has('role') ? [{ name: 'Role', cell: ({ role }: WayIn) => role }] : []),
    ...(has('issuedBy') ? [{ name: 'Issued by', cell: ({ issuedBy }: WayIn) => issuedBy }] : []),
    { name: 'Since', cell: ({ createdAt }) => <Time value={createdAt} as="ago" /> },
    ...(has('usedAt')
      ? [{ name: 'Last used', cell: ({ usedAt }: WayIn) => <Time value={usedAt!} as="ago" /> }]
      : []),
    { name: 'Ends', cell: ({ endsAt }) => <Time value={endsAt} as="minute" none="never" /> },
  ]
}
