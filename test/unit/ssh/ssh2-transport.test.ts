import { connect } from "../../../src/ssh/ssh2/connect.ts";
import { transportContract } from "./transport-contract.ts";

transportContract("ssh2", connect);
