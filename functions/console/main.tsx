import { render } from 'preact'
import { resumeSession } from './session.ts'
import { Shell } from './shell.tsx'
import './style.css'

const root = document.getElementById('console')
if (root !== null) render(<Shell />, root)
void resumeSession()
