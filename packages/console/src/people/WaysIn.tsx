import { type ReactNode, useState } from 'react'
import { change } from '../api/client.ts'
import { t } from '../language/text.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
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

type WayWords = {
  many: string
  who: string
  /** The button of a row. */
  verb: string
  act: string
  /** Each with the name of one. */
  label: (name: string) => string
  question: (name: string) => string
  done: (name: string) => string
  effect: string
}

const KINDS: Record<'invitation' | 'token' | 'session', WayWords> = {
  invitation: {
    many: t('Pending invitations'),
    who: t('For'),
    verb: t('Revoke'),
    act: t('Revoke invitation'),
    label: (name) => t('Revoke the invitation for {{name}}', { name }),
    question: (name) => t('Revoke the invitation for {{name}}?', { name }),
    done: (name) => t('The invitation for {{name}} was revoked.', { name }),
    effect: t('The link stops working immediately.'),
  },
  token: {
    many: t('Tokens'),
    who: t('Name'),
    verb: t('Revoke'),
    act: t('Revoke token'),
    label: (name) => t('Revoke the token {{name}}', { name }),
    question: (name) => t('Revoke the token {{name}}?', { name }),
    done: (name) => t('The token {{name}} was revoked.', { name }),
    effect: t(
      'Programs that use it get 401 from now on. Tokens issued with it are revoked too. This cannot be undone.',
    ),
  },
  session: {
    many: t('Sessions'),
    who: t('Browser'),
    verb: t('Sign out'),
    act: t('Sign out session'),
    label: (name) => t('Sign out the session {{name}}', { name }),
    question: (name) => t('Sign out the session {{name}}?', { name }),
    done: (name) => t('The session {{name}} was signed out.', { name }),
    effect: t('This browser is signed out immediately.'),
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
  const words = KINDS[kind]
  const [ended, setEnded] = useState<WayIn | null>(null)
  const columns: Column<WayIn>[] = [
    { name: words.who, cell: (each) => <Name way={each} /> },
    ...columnsOf(rows),
    {
      name: t('Actions'),
      actions: true,
      cell: (each) =>
        each.isOwn !== true && (
          <Button
            small
            look="remove"
            aria-label={words.label(each.name)}
            onClick={() => setEnded(each)}
          >
            {words.verb}
          </Button>
        ),
    },
  ]
  return (
    <>
      <Table label={words.many} columns={columns} rows={rows} rowKey={({ id }) => id} />
      {ended !== null && (
        <Confirm
          title={words.question(ended.name)}
          action={words.act}
          onClose={() => setEnded(null)}
          onConfirm={() => change('DELETE', `${path}/${ended.id}`)}
          refreshes={[queryKey]}
          done={words.done(ended.name)}
        >
          <p>{words.effect}</p>
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
    { name: t('Date created'), cell: ({ createdAt }) => <Time value={createdAt} as="ago" /> },
    ...(has('usedAt')
      ? [{ name: t('Last used'), cell: ({ usedAt }: WayIn) => <Time value={usedAt!} as="ago" /> }]
      : []),
    {
      name: t('Expires'),
      cell: ({ endsAt }) => <Time value={endsAt} as="minute" />,
    },
  ]
}
