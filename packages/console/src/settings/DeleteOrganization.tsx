import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { change } from '../api/client.ts'
import type { OrganizationSummary } from '../api/types.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Confirm } from '../ui/dialog/Confirm.tsx'
import { toast } from '../ui/dialog/Toast.tsx'
import { counted } from '../ui/format.ts'
import { forgetUnsaved } from '../ui/page/navigation.ts'

export function DeleteOrganization({ organization }: { organization: OrganizationSummary }) {
  const { id, name, objects, keys } = organization
  const [asked, setAsked] = useState(false)
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return (
    <Card
      danger
      title="Delete organization"
      lead={`Deletes ${name} with ${counted(objects, 'object')}, all their positions, places, keys and tokens.`}
    >
      <div className="row">
        <Button look="danger" onClick={() => setAsked(true)}>
          Delete organization…
        </Button>
      </div>
      {asked && (
        <Confirm
          title={`Delete ${name}?`}
          action="Delete organization"
          typed={name}
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await change('DELETE', `/organizations/${id}`)
            forgetUnsaved()
            navigate('/')
            client.removeQueries({ queryKey: ['organization', id] })
            await client.invalidateQueries({ queryKey: ['organizations'] })
            toast(`${name} was deleted.`)
          }}
        >
          <p>
            {counted(objects, 'object')} and all positions are deleted too, and so are its
            geofences, routes and sites. {counted(keys, 'API key')} and all feed tokens stop working
            at once.
          </p>
          <p>Only a backup can undo this.</p>
        </Confirm>
      )}
    </Card>
  )
}
