import { NestedStack, RemovalPolicy } from 'aws-cdk-lib'
import {
  AccessLogFormat,
  AuthorizationType,
  CfnAccount,
  type DomainName,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  Resource,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray'
import type { Construct } from 'constructs'
import { CONSOLE, CONSOLE_PATHS } from '#shared/contract/console.ts'
import { CATCH_ALL, operationList } from '#shared/contract/operations.ts'
import { STAGE } from '#shared/names.ts'
import type { ApiFunctionId } from './functions.ts'
import { addGatewayResponses } from './gateway-responses.ts'
import { type FunctionSurroundings, LambdaFunction } from './lambda-function.ts'
import type { Settings } from './settings.ts'
import { SignInClient } from './sign-in-client.ts'
import { addWebFirewall } from './web-firewall.ts'

/** One line a request, without query string, path or key: those may hold what nobody should read in a log. */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  at: '$context.requestTimeEpoch',
  source: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  function_latency_ms: '$context.integrationLatency',
  gateway_error: '$context.error.responseType',
})

/**
 * X-Ray's own rule traces the first request of every second, at a few requests a second nearly all of them: $5 a
 * million, more than the API itself.
 */
const TRACED_SHARE = 0.05
/** Before the rules that people make for the whole account, whose priorities they choose themselves. */
const SAMPLING_PRIORITY = 1000
const EVERY = '*'

/** The REST API: one function an operation, and a refusal everywhere else. */
export class ApiStack extends NestedStack {
  readonly api: RestApi
  readonly functions: ReadonlyMap<ApiFunctionId, LambdaFunction>
  readonly signInClient: SignInClient
  /** The role with which API Gateway writes logs, where a setting asks for it. */
  accountLogRole: Role | null = null
  /** The API's own name, where the settings have one. */
  readonly domain: DomainName | null

  constructor(scope: Construct, id: string, surroundings: FunctionSurroundings) {
    super(scope, id)
    this.api = this.createApi(surroundings)
    this.domain = this.nameApi(surroundings.settings)
    this.signInClient = new SignInClient(this, 'SignIn', surroundings.state.users, this.baseAddress())
    const withSignIn = { ...surroundings, signIn: this.signInClient.names }
    const functions = new Map<ApiFunctionId, LambdaFunction>()
    for (const { id: operation, method, path } of operationList) {
      const handler = new LambdaFunction(this, operation, withSignIn)
      functions.set(operation, handler)
      this.route(this.api.root.resourceForPath(path), method, handler)
    }
    const files = new LambdaFunction(this, CONSOLE, withSignIn)
    functions.set(CONSOLE, files)
    for (const path of CONSOLE_PATHS) this.route(this.api.root.resourceForPath(path), 'GET', files)
    const refuse = new LambdaFunction(this, CATCH_ALL, withSignIn)
    functions.set(CATCH_ALL, refuse)
    this.api.root.addResource('{proxy+}')
    this.refuseTheRest(this.api.root, refuse)
    this.functions = functions
    addGatewayResponses(this.api)
    if (surroundings.settings.xray) this.sampleTraces()
    if (surroundings.settings.waf) addWebFirewall(this, this.api)
  }

  /** Where the API is, without its stage's resource: functions know it, and the stage waits for the functions. */
  baseAddress(): string {
    if (this.domain !== null) return `https://${this.domain.domainName}/${STAGE}`
    return `https://${this.api.restApiId}.execute-api.${this.region}.${this.urlSuffix}/${STAGE}`
  }

  private createApi({ settings }: FunctionSurroundings): RestApi {
    const logGroup =
      settings.accessLog === 'off'
        ? null
        : new LogGroup(this, 'AccessLog', {
            retention: settings.logRetentionDays,
            removalPolicy: RemovalPolicy.DESTROY,
          })
    const api = new RestApi(this, 'Api', {
      restApiName: this.nestedStackParent?.stackName ?? this.stackName,
      description: 'Incident investigator',
      endpointTypes: [EndpointType.REGIONAL],
      // Bodies reach the functions byte for byte, so that signatures can be checked.
      binaryMediaTypes: ['*/*'],
      cloudWatchRole: false,
      // The functions check keys: a revoked one is refused from the very next request.
      defaultMethodOptions: { authorizationType: AuthorizationType.NONE },
      deployOptions: {
        stageName: STAGE,
        throttlingRateLimit: settings.throttleRatePerSecond,
        throttlingBurstLimit: settings.throttleBurst,
        tracingEnabled: settings.xray,
        ...(logGroup === null
          ? {}
          : {
              accessLogDestination: new LogGroupLogDestination(logGroup),
              accessLogFormat: AccessLogFormat.custom(ACCESS_LOG),
              // Of failures alone, and without bodies: the log of every execution would hold paths and query strings.
              loggingLevel: MethodLoggingLevel.ERROR,
              dataTraceEnabled: false,
            }),
      },
    })
    if (logGroup !== null) this.limitExecutionLog(api, settings)
    if (settings.accessLog === 'with-new-account-role') this.setAccountRole(api)
    return api
  }

  /** API Gateway itself would make the group, without an end of what it holds. */
  private limitExecutionLog(api: RestApi, settings: Settings): void {
    const group = new LogGroup(this, 'ExecutionLog', {
      logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`,
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    api.deploymentStage.node.addDependency(group)
  }

  /** Gives the API a name of its own; its addresses keep the version segment. */
  private nameApi({ domain }: Settings): DomainName | null {
    if (domain === undefined) return null
    return this.api.addDomainName('Domain', {
      domainName: domain.name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS_1_2,
      basePath: STAGE,
    })
  }

  /** Of this API's requests alone; what they cause is traced with them. */
  private sampleTraces(): void {
    const name = this.api.restApiName
    new CfnSamplingRule(this, 'Sampling', {
      samplingRule: {
        version: 1,
        ruleName: name,
        priority: SAMPLING_PRIORITY,
        fixedRate: TRACED_SHARE,
        reservoirSize: 0,
        serviceName: `${name}/${STAGE}`,
        serviceType: 'AWS::ApiGateway::Stage',
        host: EVERY,
        httpMethod: EVERY,
        urlPath: EVERY,
        resourceArn: EVERY,
      },
    })
  }

  /** Sets the role with which API Gateway writes logs, for every API of the account and region. */
  private setAccountRole(api: RestApi): void {
    const role = new Role(this, 'AccountLogRole', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      // The only policy that API Gateway accepts for this purpose.
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
      ],
    })
    const account = new CfnAccount(this, 'AccountLogging', { cloudWatchRoleArn: role.roleArn })
    // Without it, taking this stack down would leave every other API of the account without a log.
    account.applyRemovalPolicy(RemovalPolicy.RETAIN)
    role.applyRemovalPolicy(RemovalPolicy.RETAIN)
    api.deploymentStage.node.addDependency(account)
    this.accountLogRole = role
  }

  private route(resource: IResource, method: string, { invoked }: LambdaFunction): void {
    resource.addMethod(method, new LambdaIntegration(invoked, { allowTestInvoke: false }))
  }

  /** Whatever no operation has is refused by the service itself, with its headers: also on resources between. */
  private refuseTheRest(resource: IResource, refuse: LambdaFunction): void {
    this.route(resource, 'ANY', refuse)
    for (const child of resource.node.children) {
      if (child instanceof Resource) this.refuseTheRest(child, refuse)
    }
  }
}
