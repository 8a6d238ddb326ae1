import { Phrase } from '../language/Phrase.tsx'
import { t } from '../language/text.ts'
import { CopyLine } from '../ui/Copy.tsx'
import { ShownOnce } from '../ui/dialog/ShownOnce.tsx'
import { Time } from '../ui/time/Time.tsx'
import { linkOf } from './role-texts.ts'

type LinkDialogProps = {
  title: string
  secret: string
  endsAt: string | null
  onClose: () => void
}

export function LinkDialog({ title, secret, endsAt, onClose }: LinkDialogProps) {
  return (
    <ShownOnce
      title={title}
      note={
        <Phrase
          text={
            endsAt === null
              ? 'Copy the link now and send it only to this person. It will not be shown again. It works once.'
              : 'Copy the link now and send it only to this person. It will not be shown again. It works once, until <time />.'
          }
          parts={{ time: <Time value={endsAt} as="minute" /> }}
        />
      }
      onClose={onClose}
    >
      <CopyLine label={t('Link')} text={linkOf(secret)} />
    </ShownOnce>
  )
}
