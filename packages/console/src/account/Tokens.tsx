import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { change, PREFIX } from '../api/client.ts'
import { useOrganizations, useTokens } from '../api/queries.ts'
import type { IssuedToken, Token } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { CopyLine } from '../ui/Copy.tsx'
import { Changing } from '../ui/changing.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { Actions, Dialog } from '../ui/dialog/Dialog.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { Loaded } from '../ui/state/Loaded.tsx'
import { Note } from '../ui/state/Note.tsx'
import { Table } from '../ui/table/Table.tsx'
import { Time } from '../ui/time/Time.tsx'
import { IssueToken } from './IssueToken.tsx'
import { roleInWords } from './roles.ts'
import './Tokens.css'

/** Tokens with which programs use what the console uses. */
export function Tokens({ onClose }: { onClose: () => void }) {
  const tokens = useTokens()
  const [issued, setIssued] = useState<IssuedToken | null>(null)
  const [deleting, setDeleting] = useState<Token | null>(null)
  const client = useQueryClient()
  const organizations = useOrganizations('').data?.items ?? []
  const nameOf = (id: number) => organizations.find((each) => each.id === id)?.name
  if (issued !== null) return <TokenIssued issued={issued} onClose={() => setIssued(null)} />
  return (
    <Dialog title="Tokens for scripts" wide onClose={onClose}>
      <p className="soft">
        A program with a token can do everything that this console does:{' '}
        <a href={`${PREFIX}/openapi.json`} target="_blank" rel="noreferrer">
          the description of the API
        </a>
        . Give each program its own token, with no more rights than it needs.
      </p>
      <Loaded query={tokens} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">There are no tokens.</p>
          ) : (
            <Table
              label="Tokens"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  cell: ({ name, prefix, last_four }) => (
                    <div>
                      <div>{name}</div>
                      <code className="token-code">{`${prefix}…${last_four}`}</code>
                    </div>
                  ),
                },
                { name: 'May', cell: (each) => roleInWords(each, nameOf) },
                {
                  name: 'Issued by',
                  cell: ({ issuer, issued_by }) =>
                    items.find(({ id }) => id === issuer)?.name ??
                    (issued_by === null ? 'The command line' : `Person ${issued_by}`),
                },
                { name: 'Last used', cell: (each) => <Time value={each.last_used_at} as="ago" /> },
                { name: 'Ends', cell: (each) => <Time value={each.expires_at} as="day" /> },
                {
                  name: 'Actions',
                  actions: true,
                  cell: (each) => (
                    <Button
                      small
                      look="remove"
                      aria-label={`Delete ${each.name}`}
                      onClick={() => setDeleting(each)}
                    >
                      Delete
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Changing>
        <IssueToken onIssued={setIssued} />
      </Changing>
      {deleting !== null && (
        <Confirm
          title={`Delete the token ${deleting.name}?`}
          action="Delete token"
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await change('DELETE', `/tokens/${deleting.id}`)
            await client.invalidateQueries({ queryKey: ['tokens'] })
            toast(`The token ${deleting.name} was deleted.`)
          }}
        >
          <p>
            Programs that use it are answered 401 from now on. Tokens that it issued end as well.
            This cannot be undone.
          </p>
        </Confirm>
      )}
    </Dialog>
  )
}

function TokenIssued({ issued, onClose }: { issued: IssuedToken; onClose: () => void }) {
  return (
    <Dialog title={`Token ${issued.token.name}`} wide stays onClose={onClose}>
      <Note kind="warn">
        Copy it now. It is shown only this once: the server keeps a digest, so nobody can look it up
        later.
      </Note>
      <CopyLine label="Token" text={issued.secret} />
      <CopyLine
        label="curl line"
        text={`curl -H 'Authorization: Bearer ${issued.secret}' ${location.origin}${PREFIX}/organizations`}
      />
      <Actions>
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </Actions>
    </Dialog>
  )
}
