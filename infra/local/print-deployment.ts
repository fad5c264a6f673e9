import { readDeployment } from './read-deployment.ts'

// Run as a process of its own by `deploymentInOwnProcess`: nobody needs the memory afterwards that synthesising takes (400 MB).
process.stdout.write(JSON.stringify(await readDeployment()))
