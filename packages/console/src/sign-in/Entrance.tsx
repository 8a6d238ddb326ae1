import type { ReactNode } from 'react'
import { t } from '../language/text.ts'
import { Mark } from '../ui/Brand.tsx'
import { useTitle } from '../ui/page/title.ts'
import './SignIn.css'

/** The page of who is not in yet. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title)
  return (
    <main className="entrance">
      <div className="entrance-brand">
        <Mark size={30} />
        {t('Fleetgate')}
      </div>
      <div className="entrance-card">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
