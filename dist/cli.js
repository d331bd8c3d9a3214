import { i as __toESM, r as __require, t as __commonJSMin } from "./rolldown-runtime.js";
import { $r as parseLanes, $t as isLoads, An as sandboxDemands, Ar as readInputs, At as parseSeconds, Bn as buildTree, Br as listNames, Bt as execInGuest, Ci as machineFailure, Cr as record, Ct as publishRun, Dn as installDemands, Dr as readSchedule, En as demandsForGate, Fn as fetchKernel, Fr as detectProject, Gn as checkPrerequisites, Gr as renderDetected, Gt as openKvm, H as fileOfProfiles, Hn as packAsset, Hr as groupBy, Ht as describeOpening, In as expectKernels, Ir as foldersIn, J as escapeHtml, Jn as demandOf, Jr as isKernelName, Jt as defaultMemoryMiB, K as renderDocument, Kn as findMissing, Kr as parseConfig, Kt as describeSandbox, Ln as findOwnKernels, Lr as parseShard, Mn as guestDemands, Mr as requireProject, Nn as rpmDemands, Nr as packageRoot, Nt as toUrl, On as installForGate, Or as defaultConfig, Pn as manifestFolders, Pr as locateGivenKernels, Qr as defaultLanes, Qt as serializeResults, Rn as isInRpm, Rr as parseShards, Rt as writeOptions, Si as VmError, Sr as object, St as publishFailure, Tn as revisionNames, Tr as union, Tt as renderMarkdown, U as joinResults, Un as requirePrerequisites, Ur as indexBy, Ut as kvmAccess, Vr as distinctBy, Vt as requireCommand, W as EarlierValues, Wr as describeDetected, Wt as kvmDevice, Xn as optionalGroups, Xr as manifestNames, Xt as verifyBootImage, Yn as needs, Yr as splitSelectors, Yt as renderTiming, Zn as prerequisiteGroups, Zr as manifests, Zt as findReadable, _i as BuildError, _n as exitCodeOf, _r as hashFile, ai as GitSession, an as toPlainJson, ar as verifyKernel, at as readProfiles, bi as InterruptedError, bn as isUngated, bt as renderSchedule, ci as UnreadableFile, cn as toPlainText, cr as compareKernels, di as runOrThrow, dn as formatNumber, dr as compareVersions, dt as commentModes, ei as lanes, en as nameUnit, et as folderOf, fi as describeRelativeFolders, fn as findFindings, gi as BenchError, gn as shortOf, gr as publishEntry, hi as normalizeRelative, hn as rankOf, hr as openCache, ii as suggest, ir as listTreeKernels, it as toSeconds, jn as hasAgent, jr as readNamedKernels, jt as buildReport, kn as requireGate, kr as defaultOut, li as readFileBelow, ln as toText, lr as readMissing, mi as isWithin, mn as programOf$1, ni as sandboxPolicies, nr as chooseKernels, nt as historyLineSchema, oi as openRepository, on as toPlainLine, or as describeLeftOut, ot as readResultFile, pi as shellQuote, pn as inputOf, pt as failOnValues, q as style, qn as findingEnvironment, qt as requirePluginRunner, ri as clipMiddle, rn as countOf, rr as findUnreadable, rt as parseJson, si as readRepository, sn as toPlainName, sr as selectKernels, ti as runners, tn as breakCommands, tr as cachedKernel, ui as findRepositoryRoot, un as formatDelta, ur as readPins, vi as GateError, vn as compare, vr as array, vt as parsePackageNames, wn as namesUnit, wr as string, wt as writeOutputs, xi as MachineError, xn as version, xr as number, xt as layOutColumns, yi as InputError, yn as compareNames, yt as renderText, zn as buildSourceKernel, zt as runGate } from "./shared.js";
import { once, setMaxListeners } from "node:events";
import { basename, dirname, join, relative, resolve as resolve$1 } from "node:path";
import { existsSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { cp, mkdir, readFile, readdir, realpath, stat, writeFile } from "node:fs/promises";
import { createHash, hash } from "node:crypto";
import { gzipSync } from "node:zlib";
// node_modules/commander/lib/error.js
var require_error = /* @__PURE__ */ __commonJSMin(((exports) => {
	/**
	* CommanderError class
	*/
	var CommanderError = class extends Error {
		/**
		* Constructs the CommanderError class
		* @param {number} exitCode suggested exit code which could be used with process.exit
		* @param {string} code an id string representing the error
		* @param {string} message human-readable description of the error
		*/
		constructor(exitCode, code, message) {
			super(message);
			Error.captureStackTrace(this, this.constructor);
			this.name = this.constructor.name;
			this.code = code;
			this.exitCode = exitCode;
			this.nestedError = void 0;
		}
	};
	/**
	* InvalidArgumentError class
	*/
	var InvalidArgumentError = class extends CommanderError {
		/**
		* Constructs the InvalidArgumentError class
		* @param {string} [message] explanation of why argument is invalid
		*/
		constructor(message) {
			super(1, "commander.invalidArgument", message);
			Error.captureStackTrace(this, this.constructor);
			this.name = this.constructor.name;
		}
	};
	exports.CommanderError = CommanderError;
	exports.InvalidArgumentError = InvalidArgumentError;
}));
// node_modules/commander/lib/argument.js
var require_argument = /* @__PURE__ */ __commonJSMin(((exports) => {
	const { InvalidArgumentError } = require_error();
	var Argument = class {
		/**
		* Initialize a new command argument with the given name and description.
		* The default is that the argument is required, and you can explicitly
		* indicate this with <> around the name. Put [] around the name for an optional argument.
		*
		* @param {string} name
		* @param {string} [description]
		*/
		constructor(name, description) {
			this.description = description || "";
			this.variadic = false;
			this.parseArg = void 0;
			this.defaultValue = void 0;
			this.defaultValueDescription = void 0;
			this.argChoices = void 0;
			switch (name[0]) {
				case "<":
					this.required = true;
					this._name = name.slice(1, -1);
					break;
				case "[":
					this.required = false;
					this._name = name.slice(1, -1);
					break;
				default:
					this.required = true;
					this._name = name;
			}
			if (this._name.endsWith("...")) {
				this.variadic = true;
				this._name = this._name.slice(0, -3);
			}
		}
		/**
		* Return argument name.
		*
		* @return {string}
		*/
		name() {
			return this._name;
		}
		/**
		* @package
		*/
		_collectValue(value, previous) {
			if (previous === this.defaultValue || !Array.isArray(previous)) return [value];
			previous.push(value);
			return previous;
		}
		/**
		* Set the default value, and optionally supply the description to be displayed in the help.
		*
		* @param {*} value
		* @param {string} [description]
		* @return {Argument}
		*/
		default(value, description) {
			this.defaultValue = value;
			this.defaultValueDescription = description;
			return this;
		}
		/**
		* Set the custom handler for processing CLI command arguments into argument values.
		*
		* @param {Function} [fn]
		* @return {Argument}
		*/
		argParser(fn) {
			this.parseArg = fn;
			return this;
		}
		/**
		* Only allow argument value to be one of choices.
		*
		* @param {string[]} values
		* @return {Argument}
		*/
		choices(values) {
			this.argChoices = values.slice();
			this.parseArg = (arg, previous) => {
				if (!this.argChoices.includes(arg)) throw new InvalidArgumentError(`Allowed choices are ${this.argChoices.join(", ")}.`);
				if (this.variadic) return this._collectValue(arg, previous);
				return arg;
			};
			return this;
		}
		/**
		* Make argument required.
		*
		* @returns {Argument}
		*/
		argRequired() {
			this.required = true;
			return this;
		}
		/**
		* Make argument optional.
		*
		* @returns {Argument}
		*/
		argOptional() {
			this.required = false;
			return this;
		}
	};
	/**
	* Takes an argument and returns its human readable equivalent for help usage.
	*
	* @param {Argument} arg
	* @return {string}
	* @private
	*/
	function humanReadableArgName(arg) {
		const nameOutput = arg.name() + (arg.variadic === true ? "..." : "");
		return arg.required ? "<" + nameOutput + ">" : "[" + nameOutput + "]";
	}
	exports.Argument = Argument;
	exports.humanReadableArgName = humanReadableArgName;
}));
// node_modules/commander/lib/help.js
var require_help = /* @__PURE__ */ __commonJSMin(((exports) => {
	const { humanReadableArgName } = require_argument();
	/**
	* TypeScript import types for JSDoc, used by Visual Studio Code IntelliSense and `npm run typescript-checkJS`
	* https://www.typescriptlang.org/docs/handbook/jsdoc-supported-types.html#import-types
	* @typedef { import("./argument.js").Argument } Argument
	* @typedef { import("./command.js").Command } Command
	* @typedef { import("./option.js").Option } Option
	*/
	var Help = class {
		constructor() {
			this.helpWidth = void 0;
			this.minWidthToWrap = 40;
			this.sortSubcommands = false;
			this.sortOptions = false;
			this.showGlobalOptions = false;
		}
		/**
		* prepareContext is called by Commander after applying overrides from `Command.configureHelp()`
		* and just before calling `formatHelp()`.
		*
		* Commander just uses the helpWidth and the rest is provided for optional use by more complex subclasses.
		*
		* @param {{ error?: boolean, helpWidth?: number, outputHasColors?: boolean }} contextOptions
		*/
		prepareContext(contextOptions) {
			this.helpWidth = this.helpWidth ?? contextOptions.helpWidth ?? 80;
		}
		/**
		* Get an array of the visible subcommands. Includes a placeholder for the implicit help command, if there is one.
		*
		* @param {Command} cmd
		* @returns {Command[]}
		*/
		visibleCommands(cmd) {
			const visibleCommands = cmd.commands.filter((cmd) => !cmd._hidden);
			const helpCommand = cmd._getHelpCommand();
			if (helpCommand && !helpCommand._hidden) visibleCommands.push(helpCommand);
			if (this.sortSubcommands) visibleCommands.sort((a, b) => {
				return a.name().localeCompare(b.name());
			});
			return visibleCommands;
		}
		/**
		* Compare options for sort.
		*
		* @param {Option} a
		* @param {Option} b
		* @returns {number}
		*/
		compareOptions(a, b) {
			const getSortKey = (option) => {
				return option.short ? option.short.replace(/^-/, "") : option.long.replace(/^--/, "");
			};
			return getSortKey(a).localeCompare(getSortKey(b));
		}
		/**
		* Get an array of the visible options. Includes a placeholder for the implicit help option, if there is one.
		*
		* @param {Command} cmd
		* @returns {Option[]}
		*/
		visibleOptions(cmd) {
			const visibleOptions = cmd.options.filter((option) => !option.hidden);
			const helpOption = cmd._getHelpOption();
			if (helpOption && !helpOption.hidden) {
				const removeShort = helpOption.short && cmd._findOption(helpOption.short);
				const removeLong = helpOption.long && cmd._findOption(helpOption.long);
				if (!removeShort && !removeLong) visibleOptions.push(helpOption);
				else if (helpOption.long && !removeLong) visibleOptions.push(cmd.createOption(helpOption.long, helpOption.description));
				else if (helpOption.short && !removeShort) visibleOptions.push(cmd.createOption(helpOption.short, helpOption.description));
			}
			if (this.sortOptions) visibleOptions.sort(this.compareOptions);
			return visibleOptions;
		}
		/**
		* Get an array of the visible global options. (Not including help.)
		*
		* @param {Command} cmd
		* @returns {Option[]}
		*/
		visibleGlobalOptions(cmd) {
			if (!this.showGlobalOptions) return [];
			const globalOptions = [];
			for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) {
				const visibleOptions = ancestorCmd.options.filter((option) => !option.hidden);
				globalOptions.push(...visibleOptions);
			}
			if (this.sortOptions) globalOptions.sort(this.compareOptions);
			return globalOptions;
		}
		/**
		* Get an array of the arguments if any have a description.
		*
		* @param {Command} cmd
		* @returns {Argument[]}
		*/
		visibleArguments(cmd) {
			if (cmd._argsDescription) cmd.registeredArguments.forEach((argument) => {
				argument.description = argument.description || cmd._argsDescription[argument.name()] || "";
			});
			if (cmd.registeredArguments.find((argument) => argument.description)) return cmd.registeredArguments;
			return [];
		}
		/**
		* Get the command term to show in the list of subcommands.
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		subcommandTerm(cmd) {
			const args = cmd.registeredArguments.map((arg) => humanReadableArgName(arg)).join(" ");
			return cmd._name + (cmd._aliases[0] ? "|" + cmd._aliases[0] : "") + (cmd.options.length ? " [options]" : "") + (args ? " " + args : "");
		}
		/**
		* Get the option term to show in the list of options.
		*
		* @param {Option} option
		* @returns {string}
		*/
		optionTerm(option) {
			return option.flags;
		}
		/**
		* Get the argument term to show in the list of arguments.
		*
		* @param {Argument} argument
		* @returns {string}
		*/
		argumentTerm(argument) {
			return argument.name();
		}
		/**
		* Get the longest command term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestSubcommandTermLength(cmd, helper) {
			return helper.visibleCommands(cmd).reduce((max, command) => {
				return Math.max(max, this.displayWidth(helper.styleSubcommandTerm(helper.subcommandTerm(command))));
			}, 0);
		}
		/**
		* Get the longest option term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestOptionTermLength(cmd, helper) {
			return helper.visibleOptions(cmd).reduce((max, option) => {
				return Math.max(max, this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option))));
			}, 0);
		}
		/**
		* Get the longest global option term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestGlobalOptionTermLength(cmd, helper) {
			return helper.visibleGlobalOptions(cmd).reduce((max, option) => {
				return Math.max(max, this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option))));
			}, 0);
		}
		/**
		* Get the longest argument term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		longestArgumentTermLength(cmd, helper) {
			return helper.visibleArguments(cmd).reduce((max, argument) => {
				return Math.max(max, this.displayWidth(helper.styleArgumentTerm(helper.argumentTerm(argument))));
			}, 0);
		}
		/**
		* Get the command usage to be displayed at the top of the built-in help.
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		commandUsage(cmd) {
			let cmdName = cmd._name;
			if (cmd._aliases[0]) cmdName = cmdName + "|" + cmd._aliases[0];
			let ancestorCmdNames = "";
			for (let ancestorCmd = cmd.parent; ancestorCmd; ancestorCmd = ancestorCmd.parent) ancestorCmdNames = ancestorCmd.name() + " " + ancestorCmdNames;
			return ancestorCmdNames + cmdName + " " + cmd.usage();
		}
		/**
		* Get the description for the command.
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		commandDescription(cmd) {
			return cmd.description();
		}
		/**
		* Get the subcommand summary to show in the list of subcommands.
		* (Fallback to description for backwards compatibility.)
		*
		* @param {Command} cmd
		* @returns {string}
		*/
		subcommandDescription(cmd) {
			return cmd.summary() || cmd.description();
		}
		/**
		* Get the option description to show in the list of options.
		*
		* @param {Option} option
		* @return {string}
		*/
		optionDescription(option) {
			const extraInfo = [];
			if (option.argChoices) extraInfo.push(`choices: ${option.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`);
			if (option.defaultValue !== void 0) {
				if (option.required || option.optional || option.isBoolean() && typeof option.defaultValue === "boolean") extraInfo.push(`default: ${option.defaultValueDescription || JSON.stringify(option.defaultValue)}`);
			}
			if (option.presetArg !== void 0 && option.optional) extraInfo.push(`preset: ${JSON.stringify(option.presetArg)}`);
			if (option.envVar !== void 0) extraInfo.push(`env: ${option.envVar}`);
			if (extraInfo.length > 0) {
				const extraDescription = `(${extraInfo.join(", ")})`;
				if (option.description) return `${option.description} ${extraDescription}`;
				return extraDescription;
			}
			return option.description;
		}
		/**
		* Get the argument description to show in the list of arguments.
		*
		* @param {Argument} argument
		* @return {string}
		*/
		argumentDescription(argument) {
			const extraInfo = [];
			if (argument.argChoices) extraInfo.push(`choices: ${argument.argChoices.map((choice) => JSON.stringify(choice)).join(", ")}`);
			if (argument.defaultValue !== void 0) extraInfo.push(`default: ${argument.defaultValueDescription || JSON.stringify(argument.defaultValue)}`);
			if (extraInfo.length > 0) {
				const extraDescription = `(${extraInfo.join(", ")})`;
				if (argument.description) return `${argument.description} ${extraDescription}`;
				return extraDescription;
			}
			return argument.description;
		}
		/**
		* Format a list of items, given a heading and an array of formatted items.
		*
		* @param {string} heading
		* @param {string[]} items
		* @param {Help} helper
		* @returns string[]
		*/
		formatItemList(heading, items, helper) {
			if (items.length === 0) return [];
			return [
				helper.styleTitle(heading),
				...items,
				""
			];
		}
		/**
		* Group items by their help group heading.
		*
		* @param {Command[] | Option[]} unsortedItems
		* @param {Command[] | Option[]} visibleItems
		* @param {Function} getGroup
		* @returns {Map<string, Command[] | Option[]>}
		*/
		groupItems(unsortedItems, visibleItems, getGroup) {
			const result = /* @__PURE__ */ new Map();
			unsortedItems.forEach((item) => {
				const group = getGroup(item);
				if (!result.has(group)) result.set(group, []);
			});
			visibleItems.forEach((item) => {
				const group = getGroup(item);
				if (!result.has(group)) result.set(group, []);
				result.get(group).push(item);
			});
			return result;
		}
		/**
		* Generate the built-in help text.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {string}
		*/
		formatHelp(cmd, helper) {
			const termWidth = helper.padWidth(cmd, helper);
			const helpWidth = helper.helpWidth ?? 80;
			function callFormatItem(term, description) {
				return helper.formatItem(term, termWidth, description, helper);
			}
			let output = [`${helper.styleTitle("Usage:")} ${helper.styleUsage(helper.commandUsage(cmd))}`, ""];
			const commandDescription = helper.commandDescription(cmd);
			if (commandDescription.length > 0) output = output.concat([helper.boxWrap(helper.styleCommandDescription(commandDescription), helpWidth), ""]);
			const argumentList = helper.visibleArguments(cmd).map((argument) => {
				return callFormatItem(helper.styleArgumentTerm(helper.argumentTerm(argument)), helper.styleArgumentDescription(helper.argumentDescription(argument)));
			});
			output = output.concat(this.formatItemList("Arguments:", argumentList, helper));
			this.groupItems(cmd.options, helper.visibleOptions(cmd), (option) => option.helpGroupHeading ?? "Options:").forEach((options, group) => {
				const optionList = options.map((option) => {
					return callFormatItem(helper.styleOptionTerm(helper.optionTerm(option)), helper.styleOptionDescription(helper.optionDescription(option)));
				});
				output = output.concat(this.formatItemList(group, optionList, helper));
			});
			if (helper.showGlobalOptions) {
				const globalOptionList = helper.visibleGlobalOptions(cmd).map((option) => {
					return callFormatItem(helper.styleOptionTerm(helper.optionTerm(option)), helper.styleOptionDescription(helper.optionDescription(option)));
				});
				output = output.concat(this.formatItemList("Global Options:", globalOptionList, helper));
			}
			this.groupItems(cmd.commands, helper.visibleCommands(cmd), (sub) => sub.helpGroup() || "Commands:").forEach((commands, group) => {
				const commandList = commands.map((sub) => {
					return callFormatItem(helper.styleSubcommandTerm(helper.subcommandTerm(sub)), helper.styleSubcommandDescription(helper.subcommandDescription(sub)));
				});
				output = output.concat(this.formatItemList(group, commandList, helper));
			});
			return output.join("\n");
		}
		/**
		* Return display width of string, ignoring ANSI escape sequences. Used in padding and wrapping calculations.
		*
		* @param {string} str
		* @returns {number}
		*/
		displayWidth(str) {
			return stripColor(str).length;
		}
		/**
		* Style the title for displaying in the help. Called with 'Usage:', 'Options:', etc.
		*
		* @param {string} str
		* @returns {string}
		*/
		styleTitle(str) {
			return str;
		}
		styleUsage(str) {
			return str.split(" ").map((word) => {
				if (word === "[options]") return this.styleOptionText(word);
				if (word === "[command]") return this.styleSubcommandText(word);
				if (word[0] === "[" || word[0] === "<") return this.styleArgumentText(word);
				return this.styleCommandText(word);
			}).join(" ");
		}
		styleCommandDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleOptionDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleSubcommandDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleArgumentDescription(str) {
			return this.styleDescriptionText(str);
		}
		styleDescriptionText(str) {
			return str;
		}
		styleOptionTerm(str) {
			return this.styleOptionText(str);
		}
		styleSubcommandTerm(str) {
			return str.split(" ").map((word) => {
				if (word === "[options]") return this.styleOptionText(word);
				if (word[0] === "[" || word[0] === "<") return this.styleArgumentText(word);
				return this.styleSubcommandText(word);
			}).join(" ");
		}
		styleArgumentTerm(str) {
			return this.styleArgumentText(str);
		}
		styleOptionText(str) {
			return str;
		}
		styleArgumentText(str) {
			return str;
		}
		styleSubcommandText(str) {
			return str;
		}
		styleCommandText(str) {
			return str;
		}
		/**
		* Calculate the pad width from the maximum term length.
		*
		* @param {Command} cmd
		* @param {Help} helper
		* @returns {number}
		*/
		padWidth(cmd, helper) {
			return Math.max(helper.longestOptionTermLength(cmd, helper), helper.longestGlobalOptionTermLength(cmd, helper), helper.longestSubcommandTermLength(cmd, helper), helper.longestArgumentTermLength(cmd, helper));
		}
		/**
		* Detect manually wrapped and indented strings by checking for line break followed by whitespace.
		*
		* @param {string} str
		* @returns {boolean}
		*/
		preformatted(str) {
			return /\n[^\S\r\n]/.test(str);
		}
		/**
		* Format the "item", which consists of a term and description. Pad the term and wrap the description, indenting the following lines.
		*
		* So "TTT", 5, "DDD DDDD DD DDD" might be formatted for this.helpWidth=17 like so:
		*   TTT  DDD DDDD
		*        DD DDD
		*
		* @param {string} term
		* @param {number} termWidth
		* @param {string} description
		* @param {Help} helper
		* @returns {string}
		*/
		formatItem(term, termWidth, description, helper) {
			const itemIndent = 2;
			const itemIndentStr = " ".repeat(itemIndent);
			if (!description) return itemIndentStr + term;
			const paddedTerm = term.padEnd(termWidth + term.length - helper.displayWidth(term));
			const spacerWidth = 2;
			const remainingWidth = (this.helpWidth ?? 80) - termWidth - spacerWidth - itemIndent;
			let formattedDescription;
			if (remainingWidth < this.minWidthToWrap || helper.preformatted(description)) formattedDescription = description;
			else formattedDescription = helper.boxWrap(description, remainingWidth).replace(/\n/g, "\n" + " ".repeat(termWidth + spacerWidth));
			return itemIndentStr + paddedTerm + " ".repeat(spacerWidth) + formattedDescription.replace(/\n/g, `\n${itemIndentStr}`);
		}
		/**
		* Wrap a string at whitespace, preserving existing line breaks.
		* Wrapping is skipped if the width is less than `minWidthToWrap`.
		*
		* @param {string} str
		* @param {number} width
		* @returns {string}
		*/
		boxWrap(str, width) {
			if (width < this.minWidthToWrap) return str;
			const rawLines = str.split(/\r\n|\n/);
			const chunkPattern = /[\s]*[^\s]+/g;
			const wrappedLines = [];
			rawLines.forEach((line) => {
				const chunks = line.match(chunkPattern);
				if (chunks === null) {
					wrappedLines.push("");
					return;
				}
				let sumChunks = [chunks.shift()];
				let sumWidth = this.displayWidth(sumChunks[0]);
				chunks.forEach((chunk) => {
					const visibleWidth = this.displayWidth(chunk);
					if (sumWidth + visibleWidth <= width) {
						sumChunks.push(chunk);
						sumWidth += visibleWidth;
						return;
					}
					wrappedLines.push(sumChunks.join(""));
					const nextChunk = chunk.trimStart();
					sumChunks = [nextChunk];
					sumWidth = this.displayWidth(nextChunk);
				});
				wrappedLines.push(sumChunks.join(""));
			});
			return wrappedLines.join("\n");
		}
	};
	/**
	* Strip style ANSI escape sequences from the string. In particular, SGR (Select Graphic Rendition) codes.
	*
	* @param {string} str
	* @returns {string}
	* @package
	*/
	function stripColor(str) {
		return str.replace(/\x1b\[\d*(;\d*)*m/g, "");
	}
	exports.Help = Help;
	exports.stripColor = stripColor;
}));
// node_modules/commander/lib/option.js
var require_option = /* @__PURE__ */ __commonJSMin(((exports) => {
	const { InvalidArgumentError } = require_error();
	var Option = class {
		/**
		* Initialize a new `Option` with the given `flags` and `description`.
		*
		* @param {string} flags
		* @param {string} [description]
		*/
		constructor(flags, description) {
			this.flags = flags;
			this.description = description || "";
			this.required = flags.includes("<");
			this.optional = flags.includes("[");
			this.variadic = /\w\.\.\.[>\]]$/.test(flags);
			this.mandatory = false;
			const optionFlags = splitOptionFlags(flags);
			this.short = optionFlags.shortFlag;
			this.long = optionFlags.longFlag;
			this.negate = false;
			if (this.long) this.negate = this.long.startsWith("--no-");
			this.defaultValue = void 0;
			this.defaultValueDescription = void 0;
			this.presetArg = void 0;
			this.envVar = void 0;
			this.parseArg = void 0;
			this.hidden = false;
			this.argChoices = void 0;
			this.conflictsWith = [];
			this.implied = void 0;
			this.helpGroupHeading = void 0;
		}
		/**
		* Set the default value, and optionally supply the description to be displayed in the help.
		*
		* @param {*} value
		* @param {string} [description]
		* @return {Option}
		*/
		default(value, description) {
			this.defaultValue = value;
			this.defaultValueDescription = description;
			return this;
		}
		/**
		* Preset to use when option used without option-argument, especially optional but also boolean and negated.
		* The custom processing (parseArg) is called.
		*
		* @example
		* new Option('--color').default('GREYSCALE').preset('RGB');
		* new Option('--donate [amount]').preset('20').argParser(parseFloat);
		*
		* @param {*} arg
		* @return {Option}
		*/
		preset(arg) {
			this.presetArg = arg;
			return this;
		}
		/**
		* Add option name(s) that conflict with this option.
		* An error will be displayed if conflicting options are found during parsing.
		*
		* @example
		* new Option('--rgb').conflicts('cmyk');
		* new Option('--js').conflicts(['ts', 'jsx']);
		*
		* @param {(string | string[])} names
		* @return {Option}
		*/
		conflicts(names) {
			this.conflictsWith = this.conflictsWith.concat(names);
			return this;
		}
		/**
		* Specify implied option values for when this option is set and the implied options are not.
		*
		* The custom processing (parseArg) is not called on the implied values.
		*
		* @example
		* program
		*   .addOption(new Option('--log', 'write logging information to file'))
		*   .addOption(new Option('--trace', 'log extra details').implies({ log: 'trace.txt' }));
		*
		* @param {object} impliedOptionValues
		* @return {Option}
		*/
		implies(impliedOptionValues) {
			let newImplied = impliedOptionValues;
			if (typeof impliedOptionValues === "string") newImplied = { [impliedOptionValues]: true };
			this.implied = Object.assign(this.implied || {}, newImplied);
			return this;
		}
		/**
		* Set environment variable to check for option value.
		*
		* An environment variable is only used if when processed the current option value is
		* undefined, or the source of the current value is 'default' or 'config' or 'env'.
		*
		* @param {string} name
		* @return {Option}
		*/
		env(name) {
			this.envVar = name;
			return this;
		}
		/**
		* Set the custom handler for processing CLI option arguments into option values.
		*
		* @param {Function} [fn]
		* @return {Option}
		*/
		argParser(fn) {
			this.parseArg = fn;
			return this;
		}
		/**
		* Whether the option is mandatory and must have a value after parsing.
		*
		* @param {boolean} [mandatory=true]
		* @return {Option}
		*/
		makeOptionMandatory(mandatory = true) {
			this.mandatory = !!mandatory;
			return this;
		}
		/**
		* Hide option in help.
		*
		* @param {boolean} [hide=true]
		* @return {Option}
		*/
		hideHelp(hide = true) {
			this.hidden = !!hide;
			return this;
		}
		/**
		* @package
		*/
		_collectValue(value, previous) {
			if (previous === this.defaultValue || !Array.isArray(previous)) return [value];
			previous.push(value);
			return previous;
		}
		/**
		* Only allow option value to be one of choices.
		*
		* @param {string[]} values
		* @return {Option}
		*/
		choices(values) {
			this.argChoices = values.slice();
			this.parseArg = (arg, previous) => {
				if (!this.argChoices.includes(arg)) throw new InvalidArgumentError(`Allowed choices are ${this.argChoices.join(", ")}.`);
				if (this.variadic) return this._collectValue(arg, previous);
				return arg;
			};
			return this;
		}
		/**
		* Return option name.
		*
		* @return {string}
		*/
		name() {
			if (this.long) return this.long.replace(/^--/, "");
			return this.short.replace(/^-/, "");
		}
		/**
		* Return option name, in a camelcase format that can be used
		* as an object attribute key.
		*
		* @return {string}
		*/
		attributeName() {
			if (this.negate) return camelcase(this.name().replace(/^no-/, ""));
			return camelcase(this.name());
		}
		/**
		* Set the help group heading.
		*
		* @param {string} heading
		* @return {Option}
		*/
		helpGroup(heading) {
			this.helpGroupHeading = heading;
			return this;
		}
		/**
		* Check if `arg` matches the short or long flag.
		*
		* @param {string} arg
		* @return {boolean}
		* @package
		*/
		is(arg) {
			return this.short === arg || this.long === arg;
		}
		/**
		* Return whether a boolean option.
		*
		* Options are one of boolean, negated, required argument, or optional argument.
		*
		* @return {boolean}
		* @package
		*/
		isBoolean() {
			return !this.required && !this.optional && !this.negate;
		}
	};
	/**
	* This class is to make it easier to work with dual options, without changing the existing
	* implementation. We support separate dual options for separate positive and negative options,
	* like `--build` and `--no-build`, which share a single option value. This works nicely for some
	* use cases, but is tricky for others where we want separate behaviours despite
	* the single shared option value.
	*/
	var DualOptions = class {
		/**
		* @param {Option[]} options
		*/
		constructor(options) {
			this.positiveOptions = /* @__PURE__ */ new Map();
			this.negativeOptions = /* @__PURE__ */ new Map();
			this.dualOptions = /* @__PURE__ */ new Set();
			options.forEach((option) => {
				if (option.negate) this.negativeOptions.set(option.attributeName(), option);
				else this.positiveOptions.set(option.attributeName(), option);
			});
			this.negativeOptions.forEach((value, key) => {
				if (this.positiveOptions.has(key)) this.dualOptions.add(key);
			});
		}
		/**
		* Did the value come from the option, and not from possible matching dual option?
		*
		* @param {*} value
		* @param {Option} option
		* @returns {boolean}
		*/
		valueFromOption(value, option) {
			const optionKey = option.attributeName();
			if (!this.dualOptions.has(optionKey)) return true;
			const preset = this.negativeOptions.get(optionKey).presetArg;
			const negativeValue = preset !== void 0 ? preset : false;
			return option.negate === (negativeValue === value);
		}
	};
	/**
	* Convert string from kebab-case to camelCase.
	*
	* @param {string} str
	* @return {string}
	* @private
	*/
	function camelcase(str) {
		return str.split("-").reduce((str, word) => {
			return str + word[0].toUpperCase() + word.slice(1);
		});
	}
	/**
	* Split the short and long flag out of something like '-m,--mixed <value>'
	*
	* @private
	*/
	function splitOptionFlags(flags) {
		let shortFlag;
		let longFlag;
		const shortFlagExp = /^-[^-]$/;
		const longFlagExp = /^--[^-]/;
		const flagParts = flags.split(/[ |,]+/).concat("guard");
		if (shortFlagExp.test(flagParts[0])) shortFlag = flagParts.shift();
		if (longFlagExp.test(flagParts[0])) longFlag = flagParts.shift();
		if (!shortFlag && shortFlagExp.test(flagParts[0])) shortFlag = flagParts.shift();
		if (!shortFlag && longFlagExp.test(flagParts[0])) {
			shortFlag = longFlag;
			longFlag = flagParts.shift();
		}
		if (flagParts[0].startsWith("-")) {
			const unsupportedFlag = flagParts[0];
			const baseError = `option creation failed due to '${unsupportedFlag}' in option flags '${flags}'`;
			if (/^-[^-][^-]/.test(unsupportedFlag)) throw new Error(`${baseError}
- a short flag is a single dash and a single character
  - either use a single dash and a single character (for a short flag)
  - or use a double dash for a long option (and can have two, like '--ws, --workspace')`);
			if (shortFlagExp.test(unsupportedFlag)) throw new Error(`${baseError}
- too many short flags`);
			if (longFlagExp.test(unsupportedFlag)) throw new Error(`${baseError}
- too many long flags`);
			throw new Error(`${baseError}
- unrecognised flag format`);
		}
		if (shortFlag === void 0 && longFlag === void 0) throw new Error(`option creation failed due to no flags found in '${flags}'.`);
		return {
			shortFlag,
			longFlag
		};
	}
	exports.Option = Option;
	exports.DualOptions = DualOptions;
}));
// node_modules/commander/lib/suggestSimilar.js
var require_suggestSimilar = /* @__PURE__ */ __commonJSMin(((exports) => {
	const maxDistance = 3;
	function editDistance(a, b) {
		if (Math.abs(a.length - b.length) > maxDistance) return Math.max(a.length, b.length);
		const d = [];
		for (let i = 0; i <= a.length; i++) d[i] = [i];
		for (let j = 0; j <= b.length; j++) d[0][j] = j;
		for (let j = 1; j <= b.length; j++) for (let i = 1; i <= a.length; i++) {
			let cost = 1;
			if (a[i - 1] === b[j - 1]) cost = 0;
			else cost = 1;
			d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
		}
		return d[a.length][b.length];
	}
	/**
	* Find close matches, restricted to same number of edits.
	*
	* @param {string} word
	* @param {string[]} candidates
	* @returns {string}
	*/
	function suggestSimilar(word, candidates) {
		if (!candidates || candidates.length === 0) return "";
		candidates = Array.from(new Set(candidates));
		const searchingOptions = word.startsWith("--");
		if (searchingOptions) {
			word = word.slice(2);
			candidates = candidates.map((candidate) => candidate.slice(2));
		}
		let similar = [];
		let bestDistance = maxDistance;
		const minSimilarity = .4;
		candidates.forEach((candidate) => {
			if (candidate.length <= 1) return;
			const distance = editDistance(word, candidate);
			const length = Math.max(word.length, candidate.length);
			if ((length - distance) / length > minSimilarity) {
				if (distance < bestDistance) {
					bestDistance = distance;
					similar = [candidate];
				} else if (distance === bestDistance) similar.push(candidate);
			}
		});
		similar.sort((a, b) => a.localeCompare(b));
		if (searchingOptions) similar = similar.map((candidate) => `--${candidate}`);
		if (similar.length > 1) return `\n(Did you mean one of ${similar.join(", ")}?)`;
		if (similar.length === 1) return `\n(Did you mean ${similar[0]}?)`;
		return "";
	}
	exports.suggestSimilar = suggestSimilar;
}));
// node_modules/commander/lib/command.js
var require_command = /* @__PURE__ */ __commonJSMin(((exports) => {
	const EventEmitter = __require("node:events").EventEmitter;
	const childProcess = __require("node:child_process");
	const path = __require("node:path");
	const fs = __require("node:fs");
	const process = __require("node:process");
	const { Argument, humanReadableArgName } = require_argument();
	const { CommanderError } = require_error();
	const { Help, stripColor } = require_help();
	const { Option, DualOptions } = require_option();
	const { suggestSimilar } = require_suggestSimilar();
	var Command = class Command extends EventEmitter {
		/**
		* Initialize a new `Command`.
		*
		* @param {string} [name]
		*/
		constructor(name) {
			super();
			/** @type {Command[]} */
			this.commands = [];
			/** @type {Option[]} */
			this.options = [];
			this.parent = null;
			this._allowUnknownOption = false;
			this._allowExcessArguments = false;
			/** @type {Argument[]} */
			this.registeredArguments = [];
			this._args = this.registeredArguments;
			/** @type {string[]} */
			this.args = [];
			this.rawArgs = [];
			this.processedArgs = [];
			this._scriptPath = null;
			this._name = name || "";
			this._optionValues = {};
			this._optionValueSources = {};
			this._storeOptionsAsProperties = false;
			this._actionHandler = null;
			this._executableHandler = false;
			this._executableFile = null;
			this._executableDir = null;
			this._defaultCommandName = null;
			this._exitCallback = null;
			this._aliases = [];
			this._combineFlagAndOptionalValue = true;
			this._description = "";
			this._summary = "";
			this._argsDescription = void 0;
			this._enablePositionalOptions = false;
			this._passThroughOptions = false;
			this._lifeCycleHooks = {};
			/** @type {(boolean | string)} */
			this._showHelpAfterError = false;
			this._showSuggestionAfterError = true;
			this._savedState = null;
			this._outputConfiguration = {
				writeOut: (str) => process.stdout.write(str),
				writeErr: (str) => process.stderr.write(str),
				outputError: (str, write) => write(str),
				getOutHelpWidth: () => process.stdout.isTTY ? process.stdout.columns : void 0,
				getErrHelpWidth: () => process.stderr.isTTY ? process.stderr.columns : void 0,
				getOutHasColors: () => useColor() ?? (process.stdout.isTTY && process.stdout.hasColors?.()),
				getErrHasColors: () => useColor() ?? (process.stderr.isTTY && process.stderr.hasColors?.()),
				stripColor: (str) => stripColor(str)
			};
			this._hidden = false;
			/** @type {(Option | null | undefined)} */
			this._helpOption = void 0;
			this._addImplicitHelpCommand = void 0;
			/** @type {Command} */
			this._helpCommand = void 0;
			this._helpConfiguration = {};
			/** @type {string | undefined} */
			this._helpGroupHeading = void 0;
			/** @type {string | undefined} */
			this._defaultCommandGroup = void 0;
			/** @type {string | undefined} */
			this._defaultOptionGroup = void 0;
		}
		/**
		* Copy settings that are useful to have in common across root command and subcommands.
		*
		* (Used internally when adding a command using `.command()` so subcommands inherit parent settings.)
		*
		* @param {Command} sourceCommand
		* @return {Command} `this` command for chaining
		*/
		copyInheritedSettings(sourceCommand) {
			this._outputConfiguration = sourceCommand._outputConfiguration;
			this._helpOption = sourceCommand._helpOption;
			this._helpCommand = sourceCommand._helpCommand;
			this._helpConfiguration = sourceCommand._helpConfiguration;
			this._exitCallback = sourceCommand._exitCallback;
			this._storeOptionsAsProperties = sourceCommand._storeOptionsAsProperties;
			this._combineFlagAndOptionalValue = sourceCommand._combineFlagAndOptionalValue;
			this._allowExcessArguments = sourceCommand._allowExcessArguments;
			this._enablePositionalOptions = sourceCommand._enablePositionalOptions;
			this._showHelpAfterError = sourceCommand._showHelpAfterError;
			this._showSuggestionAfterError = sourceCommand._showSuggestionAfterError;
			return this;
		}
		/**
		* @returns {Command[]}
		* @private
		*/
		_getCommandAndAncestors() {
			const result = [];
			for (let command = this; command; command = command.parent) result.push(command);
			return result;
		}
		/**
		* Define a command.
		*
		* There are two styles of command: pay attention to where to put the description.
		*
		* @example
		* // Command implemented using action handler (description is supplied separately to `.command`)
		* program
		*   .command('clone <source> [destination]')
		*   .description('clone a repository into a newly created directory')
		*   .action((source, destination) => {
		*     console.log('clone command called');
		*   });
		*
		* // Command implemented using separate executable file (description is second parameter to `.command`)
		* program
		*   .command('start <service>', 'start named service')
		*   .command('stop [service]', 'stop named service, or all if no name supplied');
		*
		* @param {string} nameAndArgs - command name and arguments, args are `<required>` or `[optional]` and last may also be `variadic...`
		* @param {(object | string)} [actionOptsOrExecDesc] - configuration options (for action), or description (for executable)
		* @param {object} [execOpts] - configuration options (for executable)
		* @return {Command} returns new command for action handler, or `this` for executable command
		*/
		command(nameAndArgs, actionOptsOrExecDesc, execOpts) {
			let desc = actionOptsOrExecDesc;
			let opts = execOpts;
			if (typeof desc === "object" && desc !== null) {
				opts = desc;
				desc = null;
			}
			opts = opts || {};
			const [, name, args] = nameAndArgs.match(/([^ ]+) *(.*)/);
			const cmd = this.createCommand(name);
			if (desc) {
				cmd.description(desc);
				cmd._executableHandler = true;
			}
			if (opts.isDefault) this._defaultCommandName = cmd._name;
			cmd._hidden = !!(opts.noHelp || opts.hidden);
			cmd._executableFile = opts.executableFile || null;
			if (args) cmd.arguments(args);
			this._registerCommand(cmd);
			cmd.parent = this;
			cmd.copyInheritedSettings(this);
			if (desc) return this;
			return cmd;
		}
		/**
		* Factory routine to create a new unattached command.
		*
		* See .command() for creating an attached subcommand, which uses this routine to
		* create the command. You can override createCommand to customise subcommands.
		*
		* @param {string} [name]
		* @return {Command} new command
		*/
		createCommand(name) {
			return new Command(name);
		}
		/**
		* You can customise the help with a subclass of Help by overriding createHelp,
		* or by overriding Help properties using configureHelp().
		*
		* @return {Help}
		*/
		createHelp() {
			return Object.assign(new Help(), this.configureHelp());
		}
		/**
		* You can customise the help by overriding Help properties using configureHelp(),
		* or with a subclass of Help by overriding createHelp().
		*
		* @param {object} [configuration] - configuration options
		* @return {(Command | object)} `this` command for chaining, or stored configuration
		*/
		configureHelp(configuration) {
			if (configuration === void 0) return this._helpConfiguration;
			this._helpConfiguration = configuration;
			return this;
		}
		/**
		* The default output goes to stdout and stderr. You can customise this for special
		* applications. You can also customise the display of errors by overriding outputError.
		*
		* The configuration properties are all functions:
		*
		*     // change how output being written, defaults to stdout and stderr
		*     writeOut(str)
		*     writeErr(str)
		*     // change how output being written for errors, defaults to writeErr
		*     outputError(str, write) // used for displaying errors and not used for displaying help
		*     // specify width for wrapping help
		*     getOutHelpWidth()
		*     getErrHelpWidth()
		*     // color support, currently only used with Help
		*     getOutHasColors()
		*     getErrHasColors()
		*     stripColor() // used to remove ANSI escape codes if output does not have colors
		*
		* @param {object} [configuration] - configuration options
		* @return {(Command | object)} `this` command for chaining, or stored configuration
		*/
		configureOutput(configuration) {
			if (configuration === void 0) return this._outputConfiguration;
			this._outputConfiguration = {
				...this._outputConfiguration,
				...configuration
			};
			return this;
		}
		/**
		* Display the help or a custom message after an error occurs.
		*
		* @param {(boolean|string)} [displayHelp]
		* @return {Command} `this` command for chaining
		*/
		showHelpAfterError(displayHelp = true) {
			if (typeof displayHelp !== "string") displayHelp = !!displayHelp;
			this._showHelpAfterError = displayHelp;
			return this;
		}
		/**
		* Display suggestion of similar commands for unknown commands, or options for unknown options.
		*
		* @param {boolean} [displaySuggestion]
		* @return {Command} `this` command for chaining
		*/
		showSuggestionAfterError(displaySuggestion = true) {
			this._showSuggestionAfterError = !!displaySuggestion;
			return this;
		}
		/**
		* Add a prepared subcommand.
		*
		* See .command() for creating an attached subcommand which inherits settings from its parent.
		*
		* @param {Command} cmd - new subcommand
		* @param {object} [opts] - configuration options
		* @return {Command} `this` command for chaining
		*/
		addCommand(cmd, opts) {
			if (!cmd._name) throw new Error(`Command passed to .addCommand() must have a name
- specify the name in Command constructor or using .name()`);
			opts = opts || {};
			if (opts.isDefault) this._defaultCommandName = cmd._name;
			if (opts.noHelp || opts.hidden) cmd._hidden = true;
			this._registerCommand(cmd);
			cmd.parent = this;
			cmd._checkForBrokenPassThrough();
			return this;
		}
		/**
		* Factory routine to create a new unattached argument.
		*
		* See .argument() for creating an attached argument, which uses this routine to
		* create the argument. You can override createArgument to return a custom argument.
		*
		* @param {string} name
		* @param {string} [description]
		* @return {Argument} new argument
		*/
		createArgument(name, description) {
			return new Argument(name, description);
		}
		/**
		* Define argument syntax for command.
		*
		* The default is that the argument is required, and you can explicitly
		* indicate this with <> around the name. Put [] around the name for an optional argument.
		*
		* @example
		* program.argument('<input-file>');
		* program.argument('[output-file]');
		*
		* @param {string} name
		* @param {string} [description]
		* @param {(Function|*)} [parseArg] - custom argument processing function or default value
		* @param {*} [defaultValue]
		* @return {Command} `this` command for chaining
		*/
		argument(name, description, parseArg, defaultValue) {
			const argument = this.createArgument(name, description);
			if (typeof parseArg === "function") argument.default(defaultValue).argParser(parseArg);
			else argument.default(parseArg);
			this.addArgument(argument);
			return this;
		}
		/**
		* Define argument syntax for command, adding multiple at once (without descriptions).
		*
		* See also .argument().
		*
		* @example
		* program.arguments('<cmd> [env]');
		*
		* @param {string} names
		* @return {Command} `this` command for chaining
		*/
		arguments(names) {
			names.trim().split(/ +/).forEach((detail) => {
				this.argument(detail);
			});
			return this;
		}
		/**
		* Define argument syntax for command, adding a prepared argument.
		*
		* @param {Argument} argument
		* @return {Command} `this` command for chaining
		*/
		addArgument(argument) {
			const previousArgument = this.registeredArguments.slice(-1)[0];
			if (previousArgument?.variadic) throw new Error(`only the last argument can be variadic '${previousArgument.name()}'`);
			if (argument.required && argument.defaultValue !== void 0 && argument.parseArg === void 0) throw new Error(`a default value for a required argument is never used: '${argument.name()}'`);
			this.registeredArguments.push(argument);
			return this;
		}
		/**
		* Customise or override default help command. By default a help command is automatically added if your command has subcommands.
		*
		* @example
		*    program.helpCommand('help [cmd]');
		*    program.helpCommand('help [cmd]', 'show help');
		*    program.helpCommand(false); // suppress default help command
		*    program.helpCommand(true); // add help command even if no subcommands
		*
		* @param {string|boolean} enableOrNameAndArgs - enable with custom name and/or arguments, or boolean to override whether added
		* @param {string} [description] - custom description
		* @return {Command} `this` command for chaining
		*/
		helpCommand(enableOrNameAndArgs, description) {
			if (typeof enableOrNameAndArgs === "boolean") {
				this._addImplicitHelpCommand = enableOrNameAndArgs;
				if (enableOrNameAndArgs && this._defaultCommandGroup) this._initCommandGroup(this._getHelpCommand());
				return this;
			}
			const [, helpName, helpArgs] = (enableOrNameAndArgs ?? "help [command]").match(/([^ ]+) *(.*)/);
			const helpDescription = description ?? "display help for command";
			const helpCommand = this.createCommand(helpName);
			helpCommand.helpOption(false);
			if (helpArgs) helpCommand.arguments(helpArgs);
			if (helpDescription) helpCommand.description(helpDescription);
			this._addImplicitHelpCommand = true;
			this._helpCommand = helpCommand;
			if (enableOrNameAndArgs || description) this._initCommandGroup(helpCommand);
			return this;
		}
		/**
		* Add prepared custom help command.
		*
		* @param {(Command|string|boolean)} helpCommand - custom help command, or deprecated enableOrNameAndArgs as for `.helpCommand()`
		* @param {string} [deprecatedDescription] - deprecated custom description used with custom name only
		* @return {Command} `this` command for chaining
		*/
		addHelpCommand(helpCommand, deprecatedDescription) {
			if (typeof helpCommand !== "object") {
				this.helpCommand(helpCommand, deprecatedDescription);
				return this;
			}
			this._addImplicitHelpCommand = true;
			this._helpCommand = helpCommand;
			this._initCommandGroup(helpCommand);
			return this;
		}
		/**
		* Lazy create help command.
		*
		* @return {(Command|null)}
		* @package
		*/
		_getHelpCommand() {
			if (this._addImplicitHelpCommand ?? (this.commands.length && !this._actionHandler && !this._findCommand("help"))) {
				if (this._helpCommand === void 0) this.helpCommand(void 0, void 0);
				return this._helpCommand;
			}
			return null;
		}
		/**
		* Add hook for life cycle event.
		*
		* @param {string} event
		* @param {Function} listener
		* @return {Command} `this` command for chaining
		*/
		hook(event, listener) {
			const allowedValues = [
				"preSubcommand",
				"preAction",
				"postAction"
			];
			if (!allowedValues.includes(event)) throw new Error(`Unexpected value for event passed to hook : '${event}'.
Expecting one of '${allowedValues.join("', '")}'`);
			if (this._lifeCycleHooks[event]) this._lifeCycleHooks[event].push(listener);
			else this._lifeCycleHooks[event] = [listener];
			return this;
		}
		/**
		* Register callback to use as replacement for calling process.exit.
		*
		* @param {Function} [fn] optional callback which will be passed a CommanderError, defaults to throwing
		* @return {Command} `this` command for chaining
		*/
		exitOverride(fn) {
			if (fn) this._exitCallback = fn;
			else this._exitCallback = (err) => {
				if (err.code !== "commander.executeSubCommandAsync") throw err;
			};
			return this;
		}
		/**
		* Call process.exit, and _exitCallback if defined.
		*
		* @param {number} exitCode exit code for using with process.exit
		* @param {string} code an id string representing the error
		* @param {string} message human-readable description of the error
		* @return never
		* @private
		*/
		_exit(exitCode, code, message) {
			if (this._exitCallback) this._exitCallback(new CommanderError(exitCode, code, message));
			process.exit(exitCode);
		}
		/**
		* Register callback `fn` for the command.
		*
		* @example
		* program
		*   .command('serve')
		*   .description('start service')
		*   .action(function() {
		*      // do work here
		*   });
		*
		* @param {Function} fn
		* @return {Command} `this` command for chaining
		*/
		action(fn) {
			const listener = (args) => {
				const expectedArgsCount = this.registeredArguments.length;
				const actionArgs = args.slice(0, expectedArgsCount);
				if (this._storeOptionsAsProperties) actionArgs[expectedArgsCount] = this;
				else actionArgs[expectedArgsCount] = this.opts();
				actionArgs.push(this);
				return fn.apply(this, actionArgs);
			};
			this._actionHandler = listener;
			return this;
		}
		/**
		* Factory routine to create a new unattached option.
		*
		* See .option() for creating an attached option, which uses this routine to
		* create the option. You can override createOption to return a custom option.
		*
		* @param {string} flags
		* @param {string} [description]
		* @return {Option} new option
		*/
		createOption(flags, description) {
			return new Option(flags, description);
		}
		/**
		* Wrap parseArgs to catch 'commander.invalidArgument'.
		*
		* @param {(Option | Argument)} target
		* @param {string} value
		* @param {*} previous
		* @param {string} invalidArgumentMessage
		* @private
		*/
		_callParseArg(target, value, previous, invalidArgumentMessage) {
			try {
				return target.parseArg(value, previous);
			} catch (err) {
				if (err.code === "commander.invalidArgument") {
					const message = `${invalidArgumentMessage} ${err.message}`;
					this.error(message, {
						exitCode: err.exitCode,
						code: err.code
					});
				}
				throw err;
			}
		}
		/**
		* Check for option flag conflicts.
		* Register option if no conflicts found, or throw on conflict.
		*
		* @param {Option} option
		* @private
		*/
		_registerOption(option) {
			const matchingOption = option.short && this._findOption(option.short) || option.long && this._findOption(option.long);
			if (matchingOption) {
				const matchingFlag = option.long && this._findOption(option.long) ? option.long : option.short;
				throw new Error(`Cannot add option '${option.flags}'${this._name && ` to command '${this._name}'`} due to conflicting flag '${matchingFlag}'
-  already used by option '${matchingOption.flags}'`);
			}
			this._initOptionGroup(option);
			this.options.push(option);
		}
		/**
		* Check for command name and alias conflicts with existing commands.
		* Register command if no conflicts found, or throw on conflict.
		*
		* @param {Command} command
		* @private
		*/
		_registerCommand(command) {
			const knownBy = (cmd) => {
				return [cmd.name()].concat(cmd.aliases());
			};
			const alreadyUsed = knownBy(command).find((name) => this._findCommand(name));
			if (alreadyUsed) {
				const existingCmd = knownBy(this._findCommand(alreadyUsed)).join("|");
				const newCmd = knownBy(command).join("|");
				throw new Error(`cannot add command '${newCmd}' as already have command '${existingCmd}'`);
			}
			this._initCommandGroup(command);
			this.commands.push(command);
		}
		/**
		* Add an option.
		*
		* @param {Option} option
		* @return {Command} `this` command for chaining
		*/
		addOption(option) {
			this._registerOption(option);
			const oname = option.name();
			const name = option.attributeName();
			if (option.negate) {
				const positiveLongFlag = option.long.replace(/^--no-/, "--");
				if (!this._findOption(positiveLongFlag)) this.setOptionValueWithSource(name, option.defaultValue === void 0 ? true : option.defaultValue, "default");
			} else if (option.defaultValue !== void 0) this.setOptionValueWithSource(name, option.defaultValue, "default");
			const handleOptionValue = (val, invalidValueMessage, valueSource) => {
				if (val == null && option.presetArg !== void 0) val = option.presetArg;
				const oldValue = this.getOptionValue(name);
				if (val !== null && option.parseArg) val = this._callParseArg(option, val, oldValue, invalidValueMessage);
				else if (val !== null && option.variadic) val = option._collectValue(val, oldValue);
				if (val == null) {
					if (option.negate) val = false;
					else if (option.isBoolean() || option.optional) val = true;
					else val = "";
				}
				this.setOptionValueWithSource(name, val, valueSource);
			};
			this.on("option:" + oname, (val) => {
				const invalidValueMessage = `error: option '${option.flags}' argument '${val}' is invalid.`;
				handleOptionValue(val, invalidValueMessage, "cli");
			});
			if (option.envVar) this.on("optionEnv:" + oname, (val) => {
				const invalidValueMessage = `error: option '${option.flags}' value '${val}' from env '${option.envVar}' is invalid.`;
				handleOptionValue(val, invalidValueMessage, "env");
			});
			return this;
		}
		/**
		* Internal implementation shared by .option() and .requiredOption()
		*
		* @return {Command} `this` command for chaining
		* @private
		*/
		_optionEx(config, flags, description, fn, defaultValue) {
			if (typeof flags === "object" && flags instanceof Option) throw new Error("To add an Option object use addOption() instead of option() or requiredOption()");
			const option = this.createOption(flags, description);
			option.makeOptionMandatory(!!config.mandatory);
			if (typeof fn === "function") option.default(defaultValue).argParser(fn);
			else if (fn instanceof RegExp) {
				const regex = fn;
				fn = (val, def) => {
					const m = regex.exec(val);
					return m ? m[0] : def;
				};
				option.default(defaultValue).argParser(fn);
			} else option.default(fn);
			return this.addOption(option);
		}
		/**
		* Define option with `flags`, `description`, and optional argument parsing function or `defaultValue` or both.
		*
		* The `flags` string contains the short and/or long flags, separated by comma, a pipe or space. A required
		* option-argument is indicated by `<>` and an optional option-argument by `[]`.
		*
		* See the README for more details, and see also addOption() and requiredOption().
		*
		* @example
		* program
		*     .option('-p, --pepper', 'add pepper')
		*     .option('--pt, --pizza-type <TYPE>', 'type of pizza') // required option-argument
		*     .option('-c, --cheese [CHEESE]', 'add extra cheese', 'mozzarella') // optional option-argument with default
		*     .option('-t, --tip <VALUE>', 'add tip to purchase cost', parseFloat) // custom parse function
		*
		* @param {string} flags
		* @param {string} [description]
		* @param {(Function|*)} [parseArg] - custom option processing function or default value
		* @param {*} [defaultValue]
		* @return {Command} `this` command for chaining
		*/
		option(flags, description, parseArg, defaultValue) {
			return this._optionEx({}, flags, description, parseArg, defaultValue);
		}
		/**
		* Add a required option which must have a value after parsing. This usually means
		* the option must be specified on the command line. (Otherwise the same as .option().)
		*
		* The `flags` string contains the short and/or long flags, separated by comma, a pipe or space.
		*
		* @param {string} flags
		* @param {string} [description]
		* @param {(Function|*)} [parseArg] - custom option processing function or default value
		* @param {*} [defaultValue]
		* @return {Command} `this` command for chaining
		*/
		requiredOption(flags, description, parseArg, defaultValue) {
			return this._optionEx({ mandatory: true }, flags, description, parseArg, defaultValue);
		}
		/**
		* Alter parsing of short flags with optional values.
		*
		* @example
		* // for `.option('-f,--flag [value]'):
		* program.combineFlagAndOptionalValue(true);  // `-f80` is treated like `--flag=80`, this is the default behaviour
		* program.combineFlagAndOptionalValue(false) // `-fb` is treated like `-f -b`
		*
		* @param {boolean} [combine] - if `true` or omitted, an optional value can be specified directly after the flag.
		* @return {Command} `this` command for chaining
		*/
		combineFlagAndOptionalValue(combine = true) {
			this._combineFlagAndOptionalValue = !!combine;
			return this;
		}
		/**
		* Allow unknown options on the command line.
		*
		* @param {boolean} [allowUnknown] - if `true` or omitted, no error will be thrown for unknown options.
		* @return {Command} `this` command for chaining
		*/
		allowUnknownOption(allowUnknown = true) {
			this._allowUnknownOption = !!allowUnknown;
			return this;
		}
		/**
		* Allow excess command-arguments on the command line. Pass false to make excess arguments an error.
		*
		* @param {boolean} [allowExcess] - if `true` or omitted, no error will be thrown for excess arguments.
		* @return {Command} `this` command for chaining
		*/
		allowExcessArguments(allowExcess = true) {
			this._allowExcessArguments = !!allowExcess;
			return this;
		}
		/**
		* Enable positional options. Positional means global options are specified before subcommands which lets
		* subcommands reuse the same option names, and also enables subcommands to turn on passThroughOptions.
		* The default behaviour is non-positional and global options may appear anywhere on the command line.
		*
		* @param {boolean} [positional]
		* @return {Command} `this` command for chaining
		*/
		enablePositionalOptions(positional = true) {
			this._enablePositionalOptions = !!positional;
			return this;
		}
		/**
		* Pass through options that come after command-arguments rather than treat them as command-options,
		* so actual command-options come before command-arguments. Turning this on for a subcommand requires
		* positional options to have been enabled on the program (parent commands).
		* The default behaviour is non-positional and options may appear before or after command-arguments.
		*
		* @param {boolean} [passThrough] for unknown options.
		* @return {Command} `this` command for chaining
		*/
		passThroughOptions(passThrough = true) {
			this._passThroughOptions = !!passThrough;
			this._checkForBrokenPassThrough();
			return this;
		}
		/**
		* @private
		*/
		_checkForBrokenPassThrough() {
			if (this.parent && this._passThroughOptions && !this.parent._enablePositionalOptions) throw new Error(`passThroughOptions cannot be used for '${this._name}' without turning on enablePositionalOptions for parent command(s)`);
		}
		/**
		* Whether to store option values as properties on command object,
		* or store separately (specify false). In both cases the option values can be accessed using .opts().
		*
		* @param {boolean} [storeAsProperties=true]
		* @return {Command} `this` command for chaining
		*/
		storeOptionsAsProperties(storeAsProperties = true) {
			if (this.options.length) throw new Error("call .storeOptionsAsProperties() before adding options");
			if (Object.keys(this._optionValues).length) throw new Error("call .storeOptionsAsProperties() before setting option values");
			this._storeOptionsAsProperties = !!storeAsProperties;
			return this;
		}
		/**
		* Retrieve option value.
		*
		* @param {string} key
		* @return {object} value
		*/
		getOptionValue(key) {
			if (this._storeOptionsAsProperties) return this[key];
			return this._optionValues[key];
		}
		/**
		* Store option value.
		*
		* @param {string} key
		* @param {object} value
		* @return {Command} `this` command for chaining
		*/
		setOptionValue(key, value) {
			return this.setOptionValueWithSource(key, value, void 0);
		}
		/**
		* Store option value and where the value came from.
		*
		* @param {string} key
		* @param {object} value
		* @param {string} source - expected values are default/config/env/cli/implied
		* @return {Command} `this` command for chaining
		*/
		setOptionValueWithSource(key, value, source) {
			if (this._storeOptionsAsProperties) this[key] = value;
			else this._optionValues[key] = value;
			this._optionValueSources[key] = source;
			return this;
		}
		/**
		* Get source of option value.
		* Expected values are default | config | env | cli | implied
		*
		* @param {string} key
		* @return {string}
		*/
		getOptionValueSource(key) {
			return this._optionValueSources[key];
		}
		/**
		* Get source of option value. See also .optsWithGlobals().
		* Expected values are default | config | env | cli | implied
		*
		* @param {string} key
		* @return {string}
		*/
		getOptionValueSourceWithGlobals(key) {
			let source;
			this._getCommandAndAncestors().forEach((cmd) => {
				if (cmd.getOptionValueSource(key) !== void 0) source = cmd.getOptionValueSource(key);
			});
			return source;
		}
		/**
		* Get user arguments from implied or explicit arguments.
		* Side-effects: set _scriptPath if args included script. Used for default program name, and subcommand searches.
		*
		* @private
		*/
		_prepareUserArgs(argv, parseOptions) {
			if (argv !== void 0 && !Array.isArray(argv)) throw new Error("first parameter to parse must be array or undefined");
			parseOptions = parseOptions || {};
			if (argv === void 0 && parseOptions.from === void 0) {
				if (process.versions?.electron) parseOptions.from = "electron";
				const execArgv = process.execArgv ?? [];
				if (execArgv.includes("-e") || execArgv.includes("--eval") || execArgv.includes("-p") || execArgv.includes("--print")) parseOptions.from = "eval";
			}
			if (argv === void 0) argv = process.argv;
			this.rawArgs = argv.slice();
			let userArgs;
			switch (parseOptions.from) {
				case void 0:
				case "node":
					this._scriptPath = argv[1];
					userArgs = argv.slice(2);
					break;
				case "electron":
					if (process.defaultApp) {
						this._scriptPath = argv[1];
						userArgs = argv.slice(2);
					} else userArgs = argv.slice(1);
					break;
				case "user":
					userArgs = argv.slice(0);
					break;
				case "eval":
					userArgs = argv.slice(1);
					break;
				default: throw new Error(`unexpected parse option { from: '${parseOptions.from}' }`);
			}
			if (!this._name && this._scriptPath) this.nameFromFilename(this._scriptPath);
			this._name = this._name || "program";
			return userArgs;
		}
		/**
		* Parse `argv`, setting options and invoking commands when defined.
		*
		* Use parseAsync instead of parse if any of your action handlers are async.
		*
		* Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
		*
		* Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
		* - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
		* - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
		* - `'user'`: just user arguments
		*
		* @example
		* program.parse(); // parse process.argv and auto-detect electron and special node flags
		* program.parse(process.argv); // assume argv[0] is app and argv[1] is script
		* program.parse(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
		*
		* @param {string[]} [argv] - optional, defaults to process.argv
		* @param {object} [parseOptions] - optionally specify style of options with from: node/user/electron
		* @param {string} [parseOptions.from] - where the args are from: 'node', 'user', 'electron'
		* @return {Command} `this` command for chaining
		*/
		parse(argv, parseOptions) {
			this._prepareForParse();
			const userArgs = this._prepareUserArgs(argv, parseOptions);
			this._parseCommand([], userArgs);
			return this;
		}
		/**
		* Parse `argv`, setting options and invoking commands when defined.
		*
		* Call with no parameters to parse `process.argv`. Detects Electron and special node options like `node --eval`. Easy mode!
		*
		* Or call with an array of strings to parse, and optionally where the user arguments start by specifying where the arguments are `from`:
		* - `'node'`: default, `argv[0]` is the application and `argv[1]` is the script being run, with user arguments after that
		* - `'electron'`: `argv[0]` is the application and `argv[1]` varies depending on whether the electron application is packaged
		* - `'user'`: just user arguments
		*
		* @example
		* await program.parseAsync(); // parse process.argv and auto-detect electron and special node flags
		* await program.parseAsync(process.argv); // assume argv[0] is app and argv[1] is script
		* await program.parseAsync(my-args, { from: 'user' }); // just user supplied arguments, nothing special about argv[0]
		*
		* @param {string[]} [argv]
		* @param {object} [parseOptions]
		* @param {string} parseOptions.from - where the args are from: 'node', 'user', 'electron'
		* @return {Promise}
		*/
		async parseAsync(argv, parseOptions) {
			this._prepareForParse();
			const userArgs = this._prepareUserArgs(argv, parseOptions);
			await this._parseCommand([], userArgs);
			return this;
		}
		_prepareForParse() {
			if (this._savedState === null) this.saveStateBeforeParse();
			else this.restoreStateBeforeParse();
		}
		/**
		* Called the first time parse is called to save state and allow a restore before subsequent calls to parse.
		* Not usually called directly, but available for subclasses to save their custom state.
		*
		* This is called in a lazy way. Only commands used in parsing chain will have state saved.
		*/
		saveStateBeforeParse() {
			this._savedState = {
				_name: this._name,
				_optionValues: { ...this._optionValues },
				_optionValueSources: { ...this._optionValueSources }
			};
		}
		/**
		* Restore state before parse for calls after the first.
		* Not usually called directly, but available for subclasses to save their custom state.
		*
		* This is called in a lazy way. Only commands used in parsing chain will have state restored.
		*/
		restoreStateBeforeParse() {
			if (this._storeOptionsAsProperties) throw new Error(`Can not call parse again when storeOptionsAsProperties is true.
- either make a new Command for each call to parse, or stop storing options as properties`);
			this._name = this._savedState._name;
			this._scriptPath = null;
			this.rawArgs = [];
			this._optionValues = { ...this._savedState._optionValues };
			this._optionValueSources = { ...this._savedState._optionValueSources };
			this.args = [];
			this.processedArgs = [];
		}
		/**
		* Throw if expected executable is missing. Add lots of help for author.
		*
		* @param {string} executableFile
		* @param {string} executableDir
		* @param {string} subcommandName
		*/
		_checkForMissingExecutable(executableFile, executableDir, subcommandName) {
			if (fs.existsSync(executableFile)) return;
			const executableMissing = `'${executableFile}' does not exist
 - if '${subcommandName}' is not meant to be an executable command, remove description parameter from '.command()' and use '.description()' instead
 - if the default executable name is not suitable, use the executableFile option to supply a custom name or path
 - ${executableDir ? `searched for local subcommand relative to directory '${executableDir}'` : "no directory for search for local subcommand, use .executableDir() to supply a custom directory"}`;
			throw new Error(executableMissing);
		}
		/**
		* Execute a sub-command executable.
		*
		* @private
		*/
		_executeSubCommand(subcommand, args) {
			args = args.slice();
			let launchWithNode = false;
			const sourceExt = [
				".js",
				".ts",
				".tsx",
				".mjs",
				".cjs"
			];
			function findFile(baseDir, baseName) {
				const localBin = path.resolve(baseDir, baseName);
				if (fs.existsSync(localBin)) return localBin;
				if (sourceExt.includes(path.extname(baseName))) return void 0;
				const foundExt = sourceExt.find((ext) => fs.existsSync(`${localBin}${ext}`));
				if (foundExt) return `${localBin}${foundExt}`;
			}
			this._checkForMissingMandatoryOptions();
			this._checkForConflictingOptions();
			let executableFile = subcommand._executableFile || `${this._name}-${subcommand._name}`;
			let executableDir = this._executableDir || "";
			if (this._scriptPath) {
				let resolvedScriptPath;
				try {
					resolvedScriptPath = fs.realpathSync(this._scriptPath);
				} catch {
					resolvedScriptPath = this._scriptPath;
				}
				executableDir = path.resolve(path.dirname(resolvedScriptPath), executableDir);
			}
			if (executableDir) {
				let localFile = findFile(executableDir, executableFile);
				if (!localFile && !subcommand._executableFile && this._scriptPath) {
					const legacyName = path.basename(this._scriptPath, path.extname(this._scriptPath));
					if (legacyName !== this._name) localFile = findFile(executableDir, `${legacyName}-${subcommand._name}`);
				}
				executableFile = localFile || executableFile;
			}
			launchWithNode = sourceExt.includes(path.extname(executableFile));
			let proc;
			if (process.platform !== "win32") {
				if (launchWithNode) {
					args.unshift(executableFile);
					args = incrementNodeInspectorPort(process.execArgv).concat(args);
					proc = childProcess.spawn(process.argv[0], args, { stdio: "inherit" });
				} else proc = childProcess.spawn(executableFile, args, { stdio: "inherit" });
			} else {
				this._checkForMissingExecutable(executableFile, executableDir, subcommand._name);
				args.unshift(executableFile);
				args = incrementNodeInspectorPort(process.execArgv).concat(args);
				proc = childProcess.spawn(process.execPath, args, { stdio: "inherit" });
			}
			if (!proc.killed) [
				"SIGUSR1",
				"SIGUSR2",
				"SIGTERM",
				"SIGINT",
				"SIGHUP"
			].forEach((signal) => {
				process.on(signal, () => {
					if (proc.killed === false && proc.exitCode === null) proc.kill(signal);
				});
			});
			const exitCallback = this._exitCallback;
			proc.on("close", (code) => {
				code = code ?? 1;
				if (!exitCallback) process.exit(code);
				else exitCallback(new CommanderError(code, "commander.executeSubCommandAsync", "(close)"));
			});
			proc.on("error", (err) => {
				if (err.code === "ENOENT") this._checkForMissingExecutable(executableFile, executableDir, subcommand._name);
				else if (err.code === "EACCES") throw new Error(`'${executableFile}' not executable`);
				if (!exitCallback) process.exit(1);
				else {
					const wrappedError = new CommanderError(1, "commander.executeSubCommandAsync", "(error)");
					wrappedError.nestedError = err;
					exitCallback(wrappedError);
				}
			});
			this.runningCommand = proc;
		}
		/**
		* @private
		*/
		_dispatchSubcommand(commandName, operands, unknown) {
			const subCommand = this._findCommand(commandName);
			if (!subCommand) this.help({ error: true });
			subCommand._prepareForParse();
			let promiseChain;
			promiseChain = this._chainOrCallSubCommandHook(promiseChain, subCommand, "preSubcommand");
			promiseChain = this._chainOrCall(promiseChain, () => {
				if (subCommand._executableHandler) this._executeSubCommand(subCommand, operands.concat(unknown));
				else return subCommand._parseCommand(operands, unknown);
			});
			return promiseChain;
		}
		/**
		* Invoke help directly if possible, or dispatch if necessary.
		* e.g. help foo
		*
		* @private
		*/
		_dispatchHelpCommand(subcommandName) {
			if (!subcommandName) this.help();
			const subCommand = this._findCommand(subcommandName);
			if (subCommand && !subCommand._executableHandler) subCommand.help();
			return this._dispatchSubcommand(subcommandName, [], [this._getHelpOption()?.long ?? this._getHelpOption()?.short ?? "--help"]);
		}
		/**
		* Check this.args against expected this.registeredArguments.
		*
		* @private
		*/
		_checkNumberOfArguments() {
			this.registeredArguments.forEach((arg, i) => {
				if (arg.required && this.args[i] == null) this.missingArgument(arg.name());
			});
			if (this.registeredArguments.length > 0 && this.registeredArguments[this.registeredArguments.length - 1].variadic) return;
			if (this.args.length > this.registeredArguments.length) this._excessArguments(this.args);
		}
		/**
		* Process this.args using this.registeredArguments and save as this.processedArgs!
		*
		* @private
		*/
		_processArguments() {
			const myParseArg = (argument, value, previous) => {
				let parsedValue = value;
				if (value !== null && argument.parseArg) {
					const invalidValueMessage = `error: command-argument value '${value}' is invalid for argument '${argument.name()}'.`;
					parsedValue = this._callParseArg(argument, value, previous, invalidValueMessage);
				}
				return parsedValue;
			};
			this._checkNumberOfArguments();
			const processedArgs = [];
			this.registeredArguments.forEach((declaredArg, index) => {
				let value = declaredArg.defaultValue;
				if (declaredArg.variadic) {
					if (index < this.args.length) {
						value = this.args.slice(index);
						if (declaredArg.parseArg) value = value.reduce((processed, v) => {
							return myParseArg(declaredArg, v, processed);
						}, declaredArg.defaultValue);
					} else if (value === void 0) value = [];
				} else if (index < this.args.length) {
					value = this.args[index];
					if (declaredArg.parseArg) value = myParseArg(declaredArg, value, declaredArg.defaultValue);
				}
				processedArgs[index] = value;
			});
			this.processedArgs = processedArgs;
		}
		/**
		* Once we have a promise we chain, but call synchronously until then.
		*
		* @param {(Promise|undefined)} promise
		* @param {Function} fn
		* @return {(Promise|undefined)}
		* @private
		*/
		_chainOrCall(promise, fn) {
			if (promise?.then && typeof promise.then === "function") return promise.then(() => fn());
			return fn();
		}
		/**
		*
		* @param {(Promise|undefined)} promise
		* @param {string} event
		* @return {(Promise|undefined)}
		* @private
		*/
		_chainOrCallHooks(promise, event) {
			let result = promise;
			const hooks = [];
			this._getCommandAndAncestors().reverse().filter((cmd) => cmd._lifeCycleHooks[event] !== void 0).forEach((hookedCommand) => {
				hookedCommand._lifeCycleHooks[event].forEach((callback) => {
					hooks.push({
						hookedCommand,
						callback
					});
				});
			});
			if (event === "postAction") hooks.reverse();
			hooks.forEach((hookDetail) => {
				result = this._chainOrCall(result, () => {
					return hookDetail.callback(hookDetail.hookedCommand, this);
				});
			});
			return result;
		}
		/**
		*
		* @param {(Promise|undefined)} promise
		* @param {Command} subCommand
		* @param {string} event
		* @return {(Promise|undefined)}
		* @private
		*/
		_chainOrCallSubCommandHook(promise, subCommand, event) {
			let result = promise;
			if (this._lifeCycleHooks[event] !== void 0) this._lifeCycleHooks[event].forEach((hook) => {
				result = this._chainOrCall(result, () => {
					return hook(this, subCommand);
				});
			});
			return result;
		}
		/**
		* Process arguments in context of this command.
		* Returns action result, in case it is a promise.
		*
		* @private
		*/
		_parseCommand(operands, unknown) {
			const parsed = this.parseOptions(unknown);
			this._parseOptionsEnv();
			this._parseOptionsImplied();
			operands = operands.concat(parsed.operands);
			unknown = parsed.unknown;
			this.args = operands.concat(unknown);
			if (operands && this._findCommand(operands[0])) return this._dispatchSubcommand(operands[0], operands.slice(1), unknown);
			if (this._getHelpCommand() && operands[0] === this._getHelpCommand().name()) return this._dispatchHelpCommand(operands[1]);
			if (this._defaultCommandName) {
				this._outputHelpIfRequested(unknown);
				return this._dispatchSubcommand(this._defaultCommandName, operands, unknown);
			}
			if (this.commands.length && this.args.length === 0 && !this._actionHandler && !this._defaultCommandName) this.help({ error: true });
			this._outputHelpIfRequested(parsed.unknown);
			this._checkForMissingMandatoryOptions();
			this._checkForConflictingOptions();
			const checkForUnknownOptions = () => {
				if (parsed.unknown.length > 0) this.unknownOption(parsed.unknown[0]);
			};
			const commandEvent = `command:${this.name()}`;
			if (this._actionHandler) {
				checkForUnknownOptions();
				this._processArguments();
				let promiseChain;
				promiseChain = this._chainOrCallHooks(promiseChain, "preAction");
				promiseChain = this._chainOrCall(promiseChain, () => this._actionHandler(this.processedArgs));
				if (this.parent) promiseChain = this._chainOrCall(promiseChain, () => {
					this.parent.emit(commandEvent, operands, unknown);
				});
				promiseChain = this._chainOrCallHooks(promiseChain, "postAction");
				return promiseChain;
			}
			if (this.parent?.listenerCount(commandEvent)) {
				checkForUnknownOptions();
				this._processArguments();
				this.parent.emit(commandEvent, operands, unknown);
			} else if (operands.length) {
				if (this._findCommand("*")) return this._dispatchSubcommand("*", operands, unknown);
				if (this.listenerCount("command:*")) this.emit("command:*", operands, unknown);
				else if (this.commands.length) this.unknownCommand();
				else {
					checkForUnknownOptions();
					this._processArguments();
				}
			} else if (this.commands.length) {
				checkForUnknownOptions();
				this.help({ error: true });
			} else {
				checkForUnknownOptions();
				this._processArguments();
			}
		}
		/**
		* Find matching command.
		*
		* @private
		* @return {Command | undefined}
		*/
		_findCommand(name) {
			if (!name) return void 0;
			return this.commands.find((cmd) => cmd._name === name || cmd._aliases.includes(name));
		}
		/**
		* Return an option matching `arg` if any.
		*
		* @param {string} arg
		* @return {Option}
		* @package
		*/
		_findOption(arg) {
			return this.options.find((option) => option.is(arg));
		}
		/**
		* Display an error message if a mandatory option does not have a value.
		* Called after checking for help flags in leaf subcommand.
		*
		* @private
		*/
		_checkForMissingMandatoryOptions() {
			this._getCommandAndAncestors().forEach((cmd) => {
				cmd.options.forEach((anOption) => {
					if (anOption.mandatory && cmd.getOptionValue(anOption.attributeName()) === void 0) cmd.missingMandatoryOptionValue(anOption);
				});
			});
		}
		/**
		* Display an error message if conflicting options are used together in this.
		*
		* @private
		*/
		_checkForConflictingLocalOptions() {
			const definedNonDefaultOptions = this.options.filter((option) => {
				const optionKey = option.attributeName();
				if (this.getOptionValue(optionKey) === void 0) return false;
				return this.getOptionValueSource(optionKey) !== "default";
			});
			definedNonDefaultOptions.filter((option) => option.conflictsWith.length > 0).forEach((option) => {
				const conflictingAndDefined = definedNonDefaultOptions.find((defined) => option.conflictsWith.includes(defined.attributeName()));
				if (conflictingAndDefined) this._conflictingOption(option, conflictingAndDefined);
			});
		}
		/**
		* Display an error message if conflicting options are used together.
		* Called after checking for help flags in leaf subcommand.
		*
		* @private
		*/
		_checkForConflictingOptions() {
			this._getCommandAndAncestors().forEach((cmd) => {
				cmd._checkForConflictingLocalOptions();
			});
		}
		/**
		* Parse options from `argv` removing known options,
		* and return argv split into operands and unknown arguments.
		*
		* Side effects: modifies command by storing options. Does not reset state if called again.
		*
		* Examples:
		*
		*     argv => operands, unknown
		*     --known kkk op => [op], []
		*     op --known kkk => [op], []
		*     sub --unknown uuu op => [sub], [--unknown uuu op]
		*     sub -- --unknown uuu op => [sub --unknown uuu op], []
		*
		* @param {string[]} args
		* @return {{operands: string[], unknown: string[]}}
		*/
		parseOptions(args) {
			const operands = [];
			const unknown = [];
			let dest = operands;
			function maybeOption(arg) {
				return arg.length > 1 && arg[0] === "-";
			}
			const negativeNumberArg = (arg) => {
				if (!/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.test(arg)) return false;
				return !this._getCommandAndAncestors().some((cmd) => cmd.options.map((opt) => opt.short).some((short) => /^-\d$/.test(short)));
			};
			let activeVariadicOption = null;
			let activeGroup = null;
			let i = 0;
			while (i < args.length || activeGroup) {
				const arg = activeGroup ?? args[i++];
				activeGroup = null;
				if (arg === "--") {
					if (dest === unknown) dest.push(arg);
					dest.push(...args.slice(i));
					break;
				}
				if (activeVariadicOption && (!maybeOption(arg) || negativeNumberArg(arg))) {
					this.emit(`option:${activeVariadicOption.name()}`, arg);
					continue;
				}
				activeVariadicOption = null;
				if (maybeOption(arg)) {
					const option = this._findOption(arg);
					if (option) {
						if (option.required) {
							const value = args[i++];
							if (value === void 0) this.optionMissingArgument(option);
							this.emit(`option:${option.name()}`, value);
						} else if (option.optional) {
							let value = null;
							if (i < args.length && (!maybeOption(args[i]) || negativeNumberArg(args[i]))) value = args[i++];
							this.emit(`option:${option.name()}`, value);
						} else this.emit(`option:${option.name()}`);
						activeVariadicOption = option.variadic ? option : null;
						continue;
					}
				}
				if (arg.length > 2 && arg[0] === "-" && arg[1] !== "-") {
					const option = this._findOption(`-${arg[1]}`);
					if (option) {
						if (option.required || option.optional && this._combineFlagAndOptionalValue) this.emit(`option:${option.name()}`, arg.slice(2));
						else {
							this.emit(`option:${option.name()}`);
							activeGroup = `-${arg.slice(2)}`;
						}
						continue;
					}
				}
				if (/^--[^=]+=/.test(arg)) {
					const index = arg.indexOf("=");
					const option = this._findOption(arg.slice(0, index));
					if (option && (option.required || option.optional)) {
						this.emit(`option:${option.name()}`, arg.slice(index + 1));
						continue;
					}
				}
				if (dest === operands && maybeOption(arg) && !(this.commands.length === 0 && negativeNumberArg(arg))) dest = unknown;
				if ((this._enablePositionalOptions || this._passThroughOptions) && operands.length === 0 && unknown.length === 0) {
					if (this._findCommand(arg)) {
						operands.push(arg);
						unknown.push(...args.slice(i));
						break;
					} else if (this._getHelpCommand() && arg === this._getHelpCommand().name()) {
						operands.push(arg, ...args.slice(i));
						break;
					} else if (this._defaultCommandName) {
						unknown.push(arg, ...args.slice(i));
						break;
					}
				}
				if (this._passThroughOptions) {
					dest.push(arg, ...args.slice(i));
					break;
				}
				dest.push(arg);
			}
			return {
				operands,
				unknown
			};
		}
		/**
		* Return an object containing local option values as key-value pairs.
		*
		* @return {object}
		*/
		opts() {
			if (this._storeOptionsAsProperties) {
				const result = {};
				const len = this.options.length;
				for (let i = 0; i < len; i++) {
					const key = this.options[i].attributeName();
					result[key] = key === this._versionOptionName ? this._version : this[key];
				}
				return result;
			}
			return this._optionValues;
		}
		/**
		* Return an object containing merged local and global option values as key-value pairs.
		*
		* @return {object}
		*/
		optsWithGlobals() {
			return this._getCommandAndAncestors().reduce((combinedOptions, cmd) => Object.assign(combinedOptions, cmd.opts()), {});
		}
		/**
		* Display error message and exit (or call exitOverride).
		*
		* @param {string} message
		* @param {object} [errorOptions]
		* @param {string} [errorOptions.code] - an id string representing the error
		* @param {number} [errorOptions.exitCode] - used with process.exit
		*/
		error(message, errorOptions) {
			this._outputConfiguration.outputError(`${message}\n`, this._outputConfiguration.writeErr);
			if (typeof this._showHelpAfterError === "string") this._outputConfiguration.writeErr(`${this._showHelpAfterError}\n`);
			else if (this._showHelpAfterError) {
				this._outputConfiguration.writeErr("\n");
				this.outputHelp({ error: true });
			}
			const config = errorOptions || {};
			const exitCode = config.exitCode || 1;
			const code = config.code || "commander.error";
			this._exit(exitCode, code, message);
		}
		/**
		* Apply any option related environment variables, if option does
		* not have a value from cli or client code.
		*
		* @private
		*/
		_parseOptionsEnv() {
			this.options.forEach((option) => {
				if (option.envVar && option.envVar in process.env) {
					const optionKey = option.attributeName();
					if (this.getOptionValue(optionKey) === void 0 || [
						"default",
						"config",
						"env"
					].includes(this.getOptionValueSource(optionKey))) {
						if (option.required || option.optional) this.emit(`optionEnv:${option.name()}`, process.env[option.envVar]);
						else this.emit(`optionEnv:${option.name()}`);
					}
				}
			});
		}
		/**
		* Apply any implied option values, if option is undefined or default value.
		*
		* @private
		*/
		_parseOptionsImplied() {
			const dualHelper = new DualOptions(this.options);
			const hasCustomOptionValue = (optionKey) => {
				return this.getOptionValue(optionKey) !== void 0 && !["default", "implied"].includes(this.getOptionValueSource(optionKey));
			};
			this.options.filter((option) => option.implied !== void 0 && hasCustomOptionValue(option.attributeName()) && dualHelper.valueFromOption(this.getOptionValue(option.attributeName()), option)).forEach((option) => {
				Object.keys(option.implied).filter((impliedKey) => !hasCustomOptionValue(impliedKey)).forEach((impliedKey) => {
					this.setOptionValueWithSource(impliedKey, option.implied[impliedKey], "implied");
				});
			});
		}
		/**
		* Argument `name` is missing.
		*
		* @param {string} name
		* @private
		*/
		missingArgument(name) {
			const message = `error: missing required argument '${name}'`;
			this.error(message, { code: "commander.missingArgument" });
		}
		/**
		* `Option` is missing an argument.
		*
		* @param {Option} option
		* @private
		*/
		optionMissingArgument(option) {
			const message = `error: option '${option.flags}' argument missing`;
			this.error(message, { code: "commander.optionMissingArgument" });
		}
		/**
		* `Option` does not have a value, and is a mandatory option.
		*
		* @param {Option} option
		* @private
		*/
		missingMandatoryOptionValue(option) {
			const message = `error: required option '${option.flags}' not specified`;
			this.error(message, { code: "commander.missingMandatoryOptionValue" });
		}
		/**
		* `Option` conflicts with another option.
		*
		* @param {Option} option
		* @param {Option} conflictingOption
		* @private
		*/
		_conflictingOption(option, conflictingOption) {
			const findBestOptionFromValue = (option) => {
				const optionKey = option.attributeName();
				const optionValue = this.getOptionValue(optionKey);
				const negativeOption = this.options.find((target) => target.negate && optionKey === target.attributeName());
				const positiveOption = this.options.find((target) => !target.negate && optionKey === target.attributeName());
				if (negativeOption && (negativeOption.presetArg === void 0 && optionValue === false || negativeOption.presetArg !== void 0 && optionValue === negativeOption.presetArg)) return negativeOption;
				return positiveOption || option;
			};
			const getErrorMessage = (option) => {
				const bestOption = findBestOptionFromValue(option);
				const optionKey = bestOption.attributeName();
				if (this.getOptionValueSource(optionKey) === "env") return `environment variable '${bestOption.envVar}'`;
				return `option '${bestOption.flags}'`;
			};
			const message = `error: ${getErrorMessage(option)} cannot be used with ${getErrorMessage(conflictingOption)}`;
			this.error(message, { code: "commander.conflictingOption" });
		}
		/**
		* Unknown option `flag`.
		*
		* @param {string} flag
		* @private
		*/
		unknownOption(flag) {
			if (this._allowUnknownOption) return;
			let suggestion = "";
			if (flag.startsWith("--") && this._showSuggestionAfterError) {
				let candidateFlags = [];
				let command = this;
				do {
					const moreFlags = command.createHelp().visibleOptions(command).filter((option) => option.long).map((option) => option.long);
					candidateFlags = candidateFlags.concat(moreFlags);
					command = command.parent;
				} while (command && !command._enablePositionalOptions);
				suggestion = suggestSimilar(flag, candidateFlags);
			}
			const message = `error: unknown option '${flag}'${suggestion}`;
			this.error(message, { code: "commander.unknownOption" });
		}
		/**
		* Excess arguments, more than expected.
		*
		* @param {string[]} receivedArgs
		* @private
		*/
		_excessArguments(receivedArgs) {
			if (this._allowExcessArguments) return;
			const expected = this.registeredArguments.length;
			const s = expected === 1 ? "" : "s";
			const message = `error: too many arguments${this.parent ? ` for '${this.name()}'` : ""}. Expected ${expected} argument${s} but got ${receivedArgs.length}.`;
			this.error(message, { code: "commander.excessArguments" });
		}
		/**
		* Unknown command.
		*
		* @private
		*/
		unknownCommand() {
			const unknownName = this.args[0];
			let suggestion = "";
			if (this._showSuggestionAfterError) {
				const candidateNames = [];
				this.createHelp().visibleCommands(this).forEach((command) => {
					candidateNames.push(command.name());
					if (command.alias()) candidateNames.push(command.alias());
				});
				suggestion = suggestSimilar(unknownName, candidateNames);
			}
			const message = `error: unknown command '${unknownName}'${suggestion}`;
			this.error(message, { code: "commander.unknownCommand" });
		}
		/**
		* Get or set the program version.
		*
		* This method auto-registers the "-V, --version" option which will print the version number.
		*
		* You can optionally supply the flags and description to override the defaults.
		*
		* @param {string} [str]
		* @param {string} [flags]
		* @param {string} [description]
		* @return {(this | string | undefined)} `this` command for chaining, or version string if no arguments
		*/
		version(str, flags, description) {
			if (str === void 0) return this._version;
			this._version = str;
			flags = flags || "-V, --version";
			description = description || "output the version number";
			const versionOption = this.createOption(flags, description);
			this._versionOptionName = versionOption.attributeName();
			this._registerOption(versionOption);
			this.on("option:" + versionOption.name(), () => {
				this._outputConfiguration.writeOut(`${str}\n`);
				this._exit(0, "commander.version", str);
			});
			return this;
		}
		/**
		* Set the description.
		*
		* @param {string} [str]
		* @param {object} [argsDescription]
		* @return {(string|Command)}
		*/
		description(str, argsDescription) {
			if (str === void 0 && argsDescription === void 0) return this._description;
			this._description = str;
			if (argsDescription) this._argsDescription = argsDescription;
			return this;
		}
		/**
		* Set the summary. Used when listed as subcommand of parent.
		*
		* @param {string} [str]
		* @return {(string|Command)}
		*/
		summary(str) {
			if (str === void 0) return this._summary;
			this._summary = str;
			return this;
		}
		/**
		* Set an alias for the command.
		*
		* You may call more than once to add multiple aliases. Only the first alias is shown in the auto-generated help.
		*
		* @param {string} [alias]
		* @return {(string|Command)}
		*/
		alias(alias) {
			if (alias === void 0) return this._aliases[0];
			/** @type {Command} */
			let command = this;
			if (this.commands.length !== 0 && this.commands[this.commands.length - 1]._executableHandler) command = this.commands[this.commands.length - 1];
			if (alias === command._name) throw new Error("Command alias can't be the same as its name");
			const matchingCommand = this.parent?._findCommand(alias);
			if (matchingCommand) {
				const existingCmd = [matchingCommand.name()].concat(matchingCommand.aliases()).join("|");
				throw new Error(`cannot add alias '${alias}' to command '${this.name()}' as already have command '${existingCmd}'`);
			}
			command._aliases.push(alias);
			return this;
		}
		/**
		* Set aliases for the command.
		*
		* Only the first alias is shown in the auto-generated help.
		*
		* @param {string[]} [aliases]
		* @return {(string[]|Command)}
		*/
		aliases(aliases) {
			if (aliases === void 0) return this._aliases;
			aliases.forEach((alias) => this.alias(alias));
			return this;
		}
		/**
		* Set / get the command usage `str`.
		*
		* @param {string} [str]
		* @return {(string|Command)}
		*/
		usage(str) {
			if (str === void 0) {
				if (this._usage) return this._usage;
				const args = this.registeredArguments.map((arg) => {
					return humanReadableArgName(arg);
				});
				return [].concat(this.options.length || this._helpOption !== null ? "[options]" : [], this.commands.length ? "[command]" : [], this.registeredArguments.length ? args : []).join(" ");
			}
			this._usage = str;
			return this;
		}
		/**
		* Get or set the name of the command.
		*
		* @param {string} [str]
		* @return {(string|Command)}
		*/
		name(str) {
			if (str === void 0) return this._name;
			this._name = str;
			return this;
		}
		/**
		* Set/get the help group heading for this subcommand in parent command's help.
		*
		* @param {string} [heading]
		* @return {Command | string}
		*/
		helpGroup(heading) {
			if (heading === void 0) return this._helpGroupHeading ?? "";
			this._helpGroupHeading = heading;
			return this;
		}
		/**
		* Set/get the default help group heading for subcommands added to this command.
		* (This does not override a group set directly on the subcommand using .helpGroup().)
		*
		* @example
		* program.commandsGroup('Development Commands:);
		* program.command('watch')...
		* program.command('lint')...
		* ...
		*
		* @param {string} [heading]
		* @returns {Command | string}
		*/
		commandsGroup(heading) {
			if (heading === void 0) return this._defaultCommandGroup ?? "";
			this._defaultCommandGroup = heading;
			return this;
		}
		/**
		* Set/get the default help group heading for options added to this command.
		* (This does not override a group set directly on the option using .helpGroup().)
		*
		* @example
		* program
		*   .optionsGroup('Development Options:')
		*   .option('-d, --debug', 'output extra debugging')
		*   .option('-p, --profile', 'output profiling information')
		*
		* @param {string} [heading]
		* @returns {Command | string}
		*/
		optionsGroup(heading) {
			if (heading === void 0) return this._defaultOptionGroup ?? "";
			this._defaultOptionGroup = heading;
			return this;
		}
		/**
		* @param {Option} option
		* @private
		*/
		_initOptionGroup(option) {
			if (this._defaultOptionGroup && !option.helpGroupHeading) option.helpGroup(this._defaultOptionGroup);
		}
		/**
		* @param {Command} cmd
		* @private
		*/
		_initCommandGroup(cmd) {
			if (this._defaultCommandGroup && !cmd.helpGroup()) cmd.helpGroup(this._defaultCommandGroup);
		}
		/**
		* Set the name of the command from script filename, such as process.argv[1],
		* or require.main.filename, or __filename.
		*
		* (Used internally and public although not documented in README.)
		*
		* @example
		* program.nameFromFilename(require.main.filename);
		*
		* @param {string} filename
		* @return {Command}
		*/
		nameFromFilename(filename) {
			this._name = path.basename(filename, path.extname(filename));
			return this;
		}
		/**
		* Get or set the directory for searching for executable subcommands of this command.
		*
		* @example
		* program.executableDir(__dirname);
		* // or
		* program.executableDir('subcommands');
		*
		* @param {string} [path]
		* @return {(string|null|Command)}
		*/
		executableDir(path) {
			if (path === void 0) return this._executableDir;
			this._executableDir = path;
			return this;
		}
		/**
		* Return program help documentation.
		*
		* @param {{ error: boolean }} [contextOptions] - pass {error:true} to wrap for stderr instead of stdout
		* @return {string}
		*/
		helpInformation(contextOptions) {
			const helper = this.createHelp();
			const context = this._getOutputContext(contextOptions);
			helper.prepareContext({
				error: context.error,
				helpWidth: context.helpWidth,
				outputHasColors: context.hasColors
			});
			const text = helper.formatHelp(this, helper);
			if (context.hasColors) return text;
			return this._outputConfiguration.stripColor(text);
		}
		/**
		* @typedef HelpContext
		* @type {object}
		* @property {boolean} error
		* @property {number} helpWidth
		* @property {boolean} hasColors
		* @property {function} write - includes stripColor if needed
		*
		* @returns {HelpContext}
		* @private
		*/
		_getOutputContext(contextOptions) {
			contextOptions = contextOptions || {};
			const error = !!contextOptions.error;
			let baseWrite;
			let hasColors;
			let helpWidth;
			if (error) {
				baseWrite = (str) => this._outputConfiguration.writeErr(str);
				hasColors = this._outputConfiguration.getErrHasColors();
				helpWidth = this._outputConfiguration.getErrHelpWidth();
			} else {
				baseWrite = (str) => this._outputConfiguration.writeOut(str);
				hasColors = this._outputConfiguration.getOutHasColors();
				helpWidth = this._outputConfiguration.getOutHelpWidth();
			}
			const write = (str) => {
				if (!hasColors) str = this._outputConfiguration.stripColor(str);
				return baseWrite(str);
			};
			return {
				error,
				write,
				hasColors,
				helpWidth
			};
		}
		/**
		* Output help information for this command.
		*
		* Outputs built-in help, and custom text added using `.addHelpText()`.
		*
		* @param {{ error: boolean } | Function} [contextOptions] - pass {error:true} to write to stderr instead of stdout
		*/
		outputHelp(contextOptions) {
			let deprecatedCallback;
			if (typeof contextOptions === "function") {
				deprecatedCallback = contextOptions;
				contextOptions = void 0;
			}
			const outputContext = this._getOutputContext(contextOptions);
			/** @type {HelpTextEventContext} */
			const eventContext = {
				error: outputContext.error,
				write: outputContext.write,
				command: this
			};
			this._getCommandAndAncestors().reverse().forEach((command) => command.emit("beforeAllHelp", eventContext));
			this.emit("beforeHelp", eventContext);
			let helpInformation = this.helpInformation({ error: outputContext.error });
			if (deprecatedCallback) {
				helpInformation = deprecatedCallback(helpInformation);
				if (typeof helpInformation !== "string" && !Buffer.isBuffer(helpInformation)) throw new Error("outputHelp callback must return a string or a Buffer");
			}
			outputContext.write(helpInformation);
			if (this._getHelpOption()?.long) this.emit(this._getHelpOption().long);
			this.emit("afterHelp", eventContext);
			this._getCommandAndAncestors().forEach((command) => command.emit("afterAllHelp", eventContext));
		}
		/**
		* You can pass in flags and a description to customise the built-in help option.
		* Pass in false to disable the built-in help option.
		*
		* @example
		* program.helpOption('-?, --help' 'show help'); // customise
		* program.helpOption(false); // disable
		*
		* @param {(string | boolean)} flags
		* @param {string} [description]
		* @return {Command} `this` command for chaining
		*/
		helpOption(flags, description) {
			if (typeof flags === "boolean") {
				if (flags) {
					if (this._helpOption === null) this._helpOption = void 0;
					if (this._defaultOptionGroup) this._initOptionGroup(this._getHelpOption());
				} else this._helpOption = null;
				return this;
			}
			this._helpOption = this.createOption(flags ?? "-h, --help", description ?? "display help for command");
			if (flags || description) this._initOptionGroup(this._helpOption);
			return this;
		}
		/**
		* Lazy create help option.
		* Returns null if has been disabled with .helpOption(false).
		*
		* @returns {(Option | null)} the help option
		* @package
		*/
		_getHelpOption() {
			if (this._helpOption === void 0) this.helpOption(void 0, void 0);
			return this._helpOption;
		}
		/**
		* Supply your own option to use for the built-in help option.
		* This is an alternative to using helpOption() to customise the flags and description etc.
		*
		* @param {Option} option
		* @return {Command} `this` command for chaining
		*/
		addHelpOption(option) {
			this._helpOption = option;
			this._initOptionGroup(option);
			return this;
		}
		/**
		* Output help information and exit.
		*
		* Outputs built-in help, and custom text added using `.addHelpText()`.
		*
		* @param {{ error: boolean }} [contextOptions] - pass {error:true} to write to stderr instead of stdout
		*/
		help(contextOptions) {
			this.outputHelp(contextOptions);
			let exitCode = Number(process.exitCode ?? 0);
			if (exitCode === 0 && contextOptions && typeof contextOptions !== "function" && contextOptions.error) exitCode = 1;
			this._exit(exitCode, "commander.help", "(outputHelp)");
		}
		/**
		* // Do a little typing to coordinate emit and listener for the help text events.
		* @typedef HelpTextEventContext
		* @type {object}
		* @property {boolean} error
		* @property {Command} command
		* @property {function} write
		*/
		/**
		* Add additional text to be displayed with the built-in help.
		*
		* Position is 'before' or 'after' to affect just this command,
		* and 'beforeAll' or 'afterAll' to affect this command and all its subcommands.
		*
		* @param {string} position - before or after built-in help
		* @param {(string | Function)} text - string to add, or a function returning a string
		* @return {Command} `this` command for chaining
		*/
		addHelpText(position, text) {
			const allowedValues = [
				"beforeAll",
				"before",
				"after",
				"afterAll"
			];
			if (!allowedValues.includes(position)) throw new Error(`Unexpected value for position to addHelpText.
Expecting one of '${allowedValues.join("', '")}'`);
			const helpEvent = `${position}Help`;
			this.on(helpEvent, (context) => {
				let helpStr;
				if (typeof text === "function") helpStr = text({
					error: context.error,
					command: context.command
				});
				else helpStr = text;
				if (helpStr) context.write(`${helpStr}\n`);
			});
			return this;
		}
		/**
		* Output help information if help flags specified
		*
		* @param {Array} args - array of options to search for help flags
		* @private
		*/
		_outputHelpIfRequested(args) {
			const helpOption = this._getHelpOption();
			if (helpOption && args.find((arg) => helpOption.is(arg))) {
				this.outputHelp();
				this._exit(0, "commander.helpDisplayed", "(outputHelp)");
			}
		}
	};
	/**
	* Scan arguments and increment port number for inspect calls (to avoid conflicts when spawning new command).
	*
	* @param {string[]} args - array of arguments from node.execArgv
	* @returns {string[]}
	* @private
	*/
	function incrementNodeInspectorPort(args) {
		return args.map((arg) => {
			if (!arg.startsWith("--inspect")) return arg;
			let debugOption;
			let debugHost = "127.0.0.1";
			let debugPort = "9229";
			let match;
			if ((match = arg.match(/^(--inspect(-brk)?)$/)) !== null) debugOption = match[1];
			else if ((match = arg.match(/^(--inspect(-brk|-port)?)=([^:]+)$/)) !== null) {
				debugOption = match[1];
				if (/^\d+$/.test(match[3])) debugPort = match[3];
				else debugHost = match[3];
			} else if ((match = arg.match(/^(--inspect(-brk|-port)?)=([^:]+):(\d+)$/)) !== null) {
				debugOption = match[1];
				debugHost = match[3];
				debugPort = match[4];
			}
			if (debugOption && debugPort !== "0") return `${debugOption}=${debugHost}:${parseInt(debugPort) + 1}`;
			return arg;
		});
	}
	/**
	* @returns {boolean | undefined}
	* @package
	*/
	function useColor() {
		if (process.env.NO_COLOR || process.env.FORCE_COLOR === "0" || process.env.FORCE_COLOR === "false") return false;
		if (process.env.FORCE_COLOR || process.env.CLICOLOR_FORCE !== void 0) return true;
	}
	exports.Command = Command;
	exports.useColor = useColor;
}));
const { program: program$1, createCommand, createArgument, createOption, CommanderError, InvalidArgumentError, InvalidOptionArgumentError, Command, Argument, Option, Help } = (/* @__PURE__ */ __toESM((/* @__PURE__ */ __commonJSMin(((exports) => {
	const { Argument } = require_argument();
	const { Command } = require_command();
	const { CommanderError, InvalidArgumentError } = require_error();
	const { Help } = require_help();
	const { Option } = require_option();
	exports.program = new Command();
	exports.createCommand = (name) => new Command(name);
	exports.createOption = (flags, description) => new Option(flags, description);
	exports.createArgument = (name, description) => new Argument(name, description);
	/**
	* Expose classes
	*/
	exports.Command = Command;
	exports.Option = Option;
	exports.Argument = Argument;
	exports.Help = Help;
	exports.CommanderError = CommanderError;
	exports.InvalidArgumentError = InvalidArgumentError;
	exports.InvalidOptionArgumentError = InvalidArgumentError;
})))(), 1)).default;
/**
* Finds, by bisection, the point from which on the value differs from `good` in the direction of `bad`; it is the first
* such point if the value crosses `good` only once. With `all`, finds all steps, largest or not, by dividing every range
* whose ends differ: a change that is undone before the end of its range is not seen. Either measures a point at most
* once, and about log2 of the range for each step. A range of which {@link maxSkips} points cannot be measured is left.
*
* @returns in the order of the sequence; none if `good` and `bad` have the same value
*/
async function findSteps(good, bad, measure, all = false) {
	const direction = Math.sign(bad.value - good.value);
	const skipped = /* @__PURE__ */ new Set();
	return await search(good, bad);
	async function search(from, to) {
		if (from.value === to.value) return [];
		const middle = await measureBetween(from.at, to.at);
		if (middle === void 0) return [{
			from,
			to
		}];
		if (all) return [...await search(from, middle), ...await search(middle, to)];
		return Math.sign(middle.value - good.value) === direction ? await search(from, middle) : await search(middle, to);
	}
	async function measureBetween(from, to) {
		const untried = outwards(from, to).filter((at) => !skipped.has(at));
		const skips = to - from - 1 - untried.length;
		for (const at of untried.slice(0, Math.max(0, 32 - skips))) {
			const value = await measure(at, Math.ceil(Math.log2(to - from)) - 1);
			if (value !== void 0) return {
				at,
				value
			};
			skipped.add(at);
		}
	}
}
/**
* Lists the points between two, the middle first. The next ones are at doubling distances from it, so that a long run of
* points that cannot be measured is soon left.
*/
function outwards(from, to) {
	const middle = Math.floor((from + to) / 2);
	const rank = (at) => {
		const distance = Math.abs(at - middle);
		return Number.isInteger(Math.log2(distance)) || distance === 0 ? distance : distance + to;
	};
	return Array.from({ length: to - from - 1 }, (_, index) => from + 1 + index).toSorted((a, b) => rank(a) - rank(b));
}
// src/report/bisection.ts
/** Names that an error lists at most. */
const maxNamed$1 = 10;
const maxSubject = 72;
/** Compares a kernel with another one, by what head costs on each. */
function compareWithKernel({ comparisons }, first, last) {
	return comparisons.flatMap((each) => {
		if (each.kernel !== last) return [];
		const before = comparisons.find((other) => other.kernel === first && isSame(other, each));
		return [{
			...each,
			base: before?.head ?? null,
			interval: before?.interval === "exact" ? each.interval : null
		}];
	});
}
/**
* Chooses what is followed. The name is that of a benchmark, or of a program with or without its object or bench, as
* reports print it. Of several exact counts it is the first that differs, in the order in which reports lead with them;
* if none does, the first.
*
* @throws InputError when there is no such name, only one end has it, or it has no exact count
*/
function chooseFollowed(comparisons, name) {
	const namesOf = ({ benchmark }) => [benchmark, programOf$1(benchmark)].map(toPlainLine);
	const named = comparisons.filter((each) => namesOf(each).includes(name));
	const found = named.length > 0 ? named : comparisons.filter((each) => namesOf(each).map(shortOf).includes(name));
	if (found.length === 0) {
		const known = [...new Set(comparisons.flatMap((each) => [...namesOf(each), ...namesOf(each).map(shortOf)]))];
		const programs = [...new Set(comparisons.map((each) => namesOf(each)[1]))];
		throw new InputError(`--bench: nothing that was measured is called \`${name}\`${suggest(name, known)}`, { hint: `measured were ${programs.slice(0, maxNamed$1).join(", ") || "no programs"}${programs.length > maxNamed$1 ? ", …" : ""}` });
	}
	const isExact = (each) => each.base !== null && each.head !== null && each.interval === "exact" && !isUngated(each);
	const exact = found.filter(isExact).toSorted((a, b) => rankOf(a) - rankOf(b));
	const followed = exact.find(({ base, head }) => base !== head) ?? exact[0];
	if (followed !== void 0) return followed;
	throw new InputError(`--bench: \`${name}\` has no exact count at both ends of the range`, { hint: "choose ends that both have it; counts that vary are compared by `bpfgate run`, two commits at a time" });
}
/** Finds the comparison of what is followed in a run with the same base. */
function findFollowed({ comparisons }, followed) {
	return comparisons.find((each) => isSame(each, followed));
}
/** Finds the finding that contains a benchmark's comparison. Others may come before it. */
function findFinding(results, { lane, measure, benchmark }) {
	const isWanted = (each) => each.lane === lane && each.measure === measure && each.benchmark === benchmark;
	const found = findFindings(results).find(({ comparisons }) => comparisons.some(isWanted));
	return buildReport(results).findings.find(({ id }) => id === found?.id);
}
function isSame(one, other) {
	const nameOf = ({ renamedFrom, benchmark }) => renamedFrom ?? benchmark;
	return one.lane === other.lane && one.measure === other.measure && nameOf(one) === nameOf(other);
}
/** `` `probe/count/arp`, 18 instructions per run ``: what is followed, at the good end. */
function describeFollowed(followed) {
	return `${nameOf$2(followed)}, ${formatNumber(followed.base)} ${toPlainLine(nameUnit(followed, formatDelta(followed.base)))}`;
}
/** `25 (+7)` */
function describeValue({ base }, value) {
	return `${formatNumber(value)}${value === base ? "" : ` (${formatDelta(value - base)})`}`;
}
/** `7a1b2c3d4e "probe: count interfaces"` */
function nameCommit({ id, subject }) {
	return `${id.slice(0, 10)} "${clipMiddle(toPlainLine(subject), maxSubject)}"`;
}
/** @param options what else the command that bisects inside of a merge is given */
function describeCommit({ author, date, parents }, options) {
	const [first, second] = parents.map((id) => id.slice(0, 10));
	const range = `--good ${second}~$(git rev-list --first-parent --count ${first}..${second}) --bad ${second}`;
	return [`${clipMiddle(toPlainLine(author), maxSubject)}, ${date}`, ...second === void 0 ? [] : [`a merge; to look inside: \`bpfgate bisect ${[range, ...writeOptions(options)].join(" ")}\``]];
}
/** @param where ` on 6.1`, or empty */
function renderSteps(followed, steps, noun, where) {
	if (steps.length === 0) return `both ends cost the same: ${describeFollowed(followed)}. What changed and was undone in between is not seen.\n`;
	const total = followed.head - followed.base;
	const [{ from, to }] = steps;
	const isPart = steps.length === 1 && to.value - from.value !== total;
	const rest = `The ends differ by ${formatDelta(total)} in all: --all finds the other steps.\n`;
	return `${steps.map((step) => renderStep(followed, step, noun, where)).join("\n")}${isPart ? `\n${rest}` : ""}`;
}
function renderStep(followed, step, noun, where) {
	const { from, to, titles, about, finding } = step;
	const delta = formatDelta(to.value - from.value);
	const unit = toPlainLine(nameUnit(followed, delta));
	const values = `${formatNumber(from.value)} → ${formatNumber(to.value)}`;
	const how = isLoads(followed) ? `it ${to.value === 0 ? "no longer" : "now"} loads${where}` : `${delta} ${unit}${where} (${values})`;
	const change = `changes ${nameOf$2(followed)}: ${how}`;
	const isCut = titles.length > 33;
	const listed = isCut ? [
		titles[0],
		"…",
		titles.at(-1)
	] : titles;
	return `${(titles.length > 1 ? [`One of ${titles.length} ${noun}s ${change}. ${isCut ? `32 that were tried` : "All but the last"} could not be measured:`, ...listed] : [
		`${titles[0]} is the first ${noun} that ${change}`,
		...about,
		...finding === void 0 || finding.where.length === 0 ? [] : [toText(finding.where)],
		...finding?.refusals.map(({ why }) => why) ?? [],
		...finding === void 0 ? [] : [toText(finding.repeat)]
	]).join("\n  ")}\n`;
}
function nameOf$2({ benchmark }) {
	return `\`${toPlainLine(benchmark)}\``;
}
// src/adapters/log.ts
/** Prepares a project's text for a terminal; in a workflow's step also for GitHub's runner, which reads it. */
function toTerminal(text, env = process.env) {
	const plain = toPlainText(text);
	return env.GITHUB_ACTIONS === "true" ? breakCommands(plain) : plain;
}
/**
* Opens a log: on a terminal a live line with the seconds since the start, otherwise plain lines. Messages quote names
* and output of a project and its guests, which must not control the terminal.
*/
function openLog(stream = process.stderr) {
	const start = Date.now();
	const live = stream.isTTY === true;
	let shown = false;
	const clear = () => {
		if (shown) stream.write("\r\x1B[2K");
		shown = false;
	};
	return {
		clear,
		progress(message) {
			const line = `bpfgate: [${Math.round((Date.now() - start) / 1e3)} s] ${toTerminal(message)}`;
			if (!live) {
				stream.write(`${line}\n`);
				return;
			}
			clear();
			stream.write(line.slice(0, (stream.columns ?? 80) - 1));
			shown = true;
		},
		warn(message) {
			clear();
			stream.write(`bpfgate: warning: ${toTerminal(message)}\n`);
		}
	};
}
// src/commands/session.ts
const interruption = new AbortController();
setMaxListeners(0, interruption.signal);
/** Progress and warnings, on stderr. */
const log = openLog();
const context = {
	get cache() {
		return openCache();
	},
	environment: process.env,
	log,
	signal: interruption.signal
};
/** Ends guests, programs and downloads. The run's error is then `reason`. */
function interrupt(reason) {
	interruption.abort(reason);
}
/** Adds installed tools, and what options say, to the context. */
function guestsWith({ env, identities }, options = {}) {
	const { snapshot, fresh, audit } = options;
	return {
		...context,
		environment: env,
		identities,
		snapshots: snapshot,
		fresh,
		auditShare: audit
	};
}
/** Prints a command's result on stdout. */
function write(text) {
	log.clear();
	const line = text.endsWith("\n") ? text : `${text}\n`;
	process.stdout.write(process.env.GITHUB_ACTIONS === "true" ? breakCommands(line) : line);
}
/** Prints a line that stays, on stderr. */
function say(line) {
	log.clear();
	process.stderr.write(`bpfgate: ${toTerminal(line)}\n`);
}
function writeFileWhole(file, text) {
	return writeOutputs(dirname(file), { [basename(file)]: text });
}
/** Prints one clear message for an error and returns its exit code. */
function explain(thrown) {
	if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2;
	const error = machineFailure(thrown) ?? thrown;
	log.clear();
	if (interruption.signal.aborted) {
		process.stderr.write("bpfgate: interrupted; nothing was left running\n");
		return new InterruptedError("").exitCode;
	}
	if (!(error instanceof GateError)) {
		const stack = toTerminal(`${error instanceof Error ? error.stack : error}`);
		process.stderr.write(`bpfgate: internal error (please report this): ${stack}\n`);
		return 3;
	}
	process.stderr.write(`bpfgate: ${toTerminal(error.message)}\n`);
	if (error instanceof VmError && error.consoleTail.length > 0) process.stderr.write(`  last console lines:\n${error.consoleTail.map((line) => `    ${toTerminal(line)}\n`).join("")}`);
	if (error.hint !== void 0) process.stderr.write(`  hint: ${toTerminal(error.hint)}\n`);
	return error.exitCode;
}
// src/commands/options.ts
/** What `--kernels` accepts, for help. */
const kernelSelectors = "selectors, such as 6.1,5.10..6.1,lts,latest,all; file:PATH of a kernel of yours, or the name of a [[kernel]]";
const formatOption = new Option("--format <format>", "what to print on stdout").choices([
	"text",
	"json",
	"markdown",
	"sarif",
	"veristat"
]).default("text");
const snapshotOption = new Option("--no-snapshot", "boot every guest, and save no snapshot");
const freshOption = new Option("--fresh", "ignore cached counts: count base and head again, and cache nothing");
const auditOption = new Option("--audit <percent>", "share of the cached counts to count again and compare (default: 5)").argParser(parsePercent).conflicts("fresh");
const timeoutOption = new Option("--timeout <seconds>", "time limit for one kernel, boot included (default: 1800)").argParser(parseTimeout);
const timingOption = new Option("--timing", "also print which part of the run took how long, on stderr, and write it to timing.json");
const runnerOption = () => new Option("--runner <runner>", "what boots the guests").choices(runners);
/** Adds the options by which a project is found, built and measured. */
function addProjectOptions(command) {
	return command.option("--project <dir>", "folder of the project", ".").option("--config <file>", "the configuration, relative to the project (default: bpfgate.toml, or what the build tool says)").addOption(timeoutOption).addOption(runnerOption()).addOption(new Option("--sandbox <policy>", "whether the build on this host is sandboxed (default: auto, where it can be)").choices(sandboxPolicies)).option("--allow-project-registries", "download dependencies by the project's own settings and with your logins, for private registries: only where you trust the project's authors").addOption(snapshotOption);
}
/**
* Prints which kernels the selectors leave out, if any.
*
* @param include the option that takes a list with the left-out kernels
*/
function sayLeftOut(selectors, include) {
	const line = describeLeftOut(selectors, readPins(), include);
	if (line !== void 0) say(line);
}
/** Prints the configuration that was detected, if any. */
function sayDetected({ detected }) {
	if (detected === void 0) return;
	log.clear();
	process.stderr.write(`${describeDetected(detected)}\n`);
}
function parsePositive(text) {
	const value = Number(text);
	if (!Number.isInteger(value) || value <= 0) throw new InvalidArgumentError("a whole number above 0 is needed.");
	return value;
}
function parsePercent(text) {
	const value = Number(text);
	if (text.trim() === "" || !(value >= 0 && value <= 100)) throw new InvalidArgumentError("a number from 0 to 100 is needed.");
	return value / 100;
}
function parseTimeout(text) {
	return parseSeconds(text, "--timeout");
}
// src/commands/bisect.ts
/** Built trees that stay, so that the search can go on: those of many steps, as each takes about log2 of the range. */
const keptBuilds = 64;
function addBisect(program) {
	addProjectOptions(program.command("bisect").usage("--bench <name> (--good <ref> --kernel <selector> | --kernels <list>) [options]").description("find the commit or kernel that changes an exact count; after an interruption, run the same command to continue")).requiredOption("--bench <name>", "benchmark or program to follow, as a report names it: the first of its exact counts that differs").option("--good <ref>", "revision before the change, with --kernel; the path to --bad follows first parents").option("--bad <ref>", "revision after it", "HEAD").option("--kernel <selector>", "the one kernel to count on, with --good").addOption(new Option("--kernels <list>", "instead of --good and --kernel: find the first of these kernels, such as 5.10..6.12, on which --bad costs something else").conflicts(["good", "kernel"])).option("--all", "find every step, not only the first; ranges with equal ends are taken as unchanged").action(bisect);
}
async function bisect(options) {
	const { bench, good, bad, kernel, kernels, all = false, snapshot, timeout, ...given } = options;
	if (kernels === void 0 && (good === void 0 || kernel === void 0)) throw new InputError("nothing to bisect", { hint: "give --good REF and --kernel KERNEL to bisect commits, or --kernels 5.10..6.12 to bisect kernels" });
	const read = await readInputs({
		...given,
		kernels: kernels ?? kernel,
		out: tmpdir()
	}, (option) => kernels === void 0 && option === "kernels" ? "--kernel" : `--${option}`);
	sayDetected(read);
	const gate = {
		limits: {
			instructions: "off",
			verifier: "off",
			time: "off"
		},
		overrides: []
	};
	const lanes = read.lanes.filter((lane) => lane !== "time");
	const inputs = {
		...read,
		lanes: lanes.length > 0 ? lanes : defaultLanes,
		config: {
			...read.config,
			gate
		}
	};
	const sequence = good === void 0 ? await kernelsOf(inputs, bad) : await commitsOf(inputs, good, options);
	const tools = await requireGate(inputs, context);
	const said = /* @__PURE__ */ new Set();
	const warn = (message) => {
		if (!said.has(message)) log.warn(message);
		said.add(message);
	};
	const guests = {
		...guestsWith(tools, {
			snapshot,
			audit: 0
		}),
		log: {
			...log,
			warn
		}
	};
	const how = {
		kernelTimeoutMs: timeout && timeout * 1e3,
		keptBuilds
	};
	try {
		await search(sequence, inputs, bench, all, async (own) => {
			const { results } = await runGate({
				...inputs,
				...own
			}, guests, how);
			context.signal.throwIfAborted();
			return results;
		});
	} catch (error) {
		if (context.signal.aborted) say("what was counted is cached: the same command goes on from there");
		throw error;
	}
}
async function search({ noun, where, points, ends, compareEnds }, inputs, bench, all, measure) {
	const last = points.length - 1;
	say(`${countOf(last, noun)} after ${points[0]?.title}, about ${countOf(Math.ceil(Math.log2(points.length)), "step")}`);
	const measured = await measure({
		...onlyNamed(inputs, bench),
		...ends
	});
	const [error] = errorsIn(measured);
	if (error !== void 0) throw new BenchError(error, { hint: "choose other ends" });
	const followed = chooseFollowed(compareEnds(measured), bench);
	say(`following ${describeFollowed(followed)}${where}`);
	say(`${points[last]?.title}: ${describeValue(followed, followed.head)}`);
	const narrow = onlyFollowed(inputs, followed);
	/** What measured points call it. */
	const names = new Map([0, last].map((at) => [at, followed.benchmark]));
	let skipped = 0;
	const measurePoint = async (at, left) => {
		const { title, inputs: own } = points[at];
		const found = await readPoint(() => measure({
			...narrow,
			...own
		}), followed);
		const rest = all || left < 1 ? "" : `, about ${countOf(left, "step")} left`;
		if (typeof found === "string") {
			skipped += 1;
			say(`${title}: skipped: ${firstLine(found)}`);
			return;
		}
		names.set(at, found.name);
		say(`${title}: ${describeValue(followed, found.value)}${rest}`);
		return found.value;
	};
	const steps = await findSteps({
		at: 0,
		value: followed.base
	}, {
		at: last,
		value: followed.head
	}, measurePoint, all);
	const found = [];
	for (const step of steps) {
		const own = points.slice(step.from.at + 1, step.to.at + 1);
		const [{ inputs: to, about }] = own;
		let finding;
		if (own.length === 1 && noun === "commit") {
			const benchmark = names.get(step.to.at) ?? "";
			const overrides = [{
				benchmark,
				lane: followed.lane,
				limit: 0
			}];
			const config = {
				...narrow.config,
				gate: {
					...narrow.config.gate,
					overrides
				}
			};
			const base = points[step.from.at]?.inputs.head ?? "";
			try {
				finding = findFinding(await measure({
					...narrow,
					...to,
					base,
					config
				}), {
					...followed,
					benchmark
				});
			} catch (error) {
				say(`${own[0]?.title}: the line that changed it is not known: ${firstLine(reasonOf$1(error))}`);
			}
		}
		found.push({
			...step,
			titles: own.map(({ title }) => title),
			about,
			finding
		});
	}
	const boots = readSchedule().parts.filter(({ name }) => /^guest .*, (base|head)$/.test(name)).length;
	const counts = `measured ${names.size} of ${countOf(points.length, noun)} in ${countOf(boots, "boot")}`;
	const others = skipped === 0 ? "" : `; ${skipped} could not be measured`;
	write(`${renderSteps(followed, found, noun, where)}\n${counts}${others}`);
	process.exitCode = found.some(({ titles }) => titles.length > 1) ? 4 : 0;
}
/** Measures a point; returns the reason if that is impossible. */
async function readPoint(measure, followed) {
	try {
		const results = await measure();
		const found = findFollowed(results, followed);
		if (found?.head != null && found.interval === "exact") return {
			value: found.head,
			name: found.benchmark
		};
		return errorsIn(results)[0] ?? (found?.head == null ? "it has no such count" : "its count varies");
	} catch (error) {
		return reasonOf$1(error);
	}
}
/** Says why a point cannot be measured. Throws an error that is not about the point. */
function reasonOf$1(error) {
	if (![
		BuildError,
		BenchError,
		VmError,
		InputError
	].some((kind) => error instanceof kind) || context.signal.aborted) throw error;
	return error.message;
}
function firstLine(text) {
	return text.split("\n", 1)[0] ?? "";
}
function errorsIn({ kernels }) {
	return kernels.flatMap(({ id, error }) => error === null ? [] : [`kernel ${id}: ${error.message}`]);
}
async function commitsOf(inputs, good, given) {
	const [pin, ...more] = await pinsOf(inputs);
	if (pin === void 0 || more.length > 0) throw new InputError(`--kernel selects ${more.length + 1} kernels; commits are bisected on exactly one`, { hint: "give the id of one kernel; --kernels in its place finds the first kernel" });
	const repository = await openRepository(inputs.project);
	const git = await GitSession.open(repository);
	const commits = await git.firstParents(good, given.bad).finally(() => git.close());
	const base = commits[0]?.id ?? "";
	const { projectPath } = repository;
	const { config, bench, timeout, runner, sandbox, allowProjectRegistries, snapshot } = given;
	const options = {
		project: projectPath || void 0,
		config,
		bench,
		kernel: pin.id,
		timeout: timeout?.toString(),
		runner,
		sandbox,
		"allow-project-registries": allowProjectRegistries,
		"no-snapshot": !snapshot
	};
	return {
		noun: "commit",
		where: ` on ${pin.id}`,
		points: commits.map((commit) => ({
			title: nameCommit(commit),
			inputs: {
				base,
				head: commit.id
			},
			about: describeCommit(commit, options)
		})),
		ends: {
			base,
			head: commits.at(-1)?.id ?? ""
		},
		compareEnds: ({ comparisons }) => comparisons
	};
}
async function kernelsOf(inputs, commit) {
	const pins = await pinsOf(inputs);
	const [first = "", last = ""] = [pins[0]?.id, pins.at(-1)?.id];
	if (first === last) throw new InputError(`--kernels selects only ${first}; bisect needs a first and a last one`, { hint: "give a range, such as --kernels 5.10..6.12" });
	const revisions = {
		base: commit,
		head: commit
	};
	return {
		noun: "kernel",
		where: "",
		points: pins.map(({ id, release }, at) => ({
			title: `${id} (${release})`,
			inputs: {
				...revisions,
				kernels: [id]
			},
			about: [`the kernel before it is ${pins[at - 1]?.id}`]
		})),
		ends: {
			...revisions,
			kernels: [first, last]
		},
		compareEnds: (results) => compareWithKernel(results, first, last)
	};
}
async function pinsOf({ kernels, config }) {
	return chooseKernels(kernels, context.cache, await findOwnKernels(kernels, config.namedKernels));
}
/** Leaves out the benches that a name does not begin with, if it begins with one. */
function onlyNamed(inputs, name) {
	const all = inputs.config.benches.map((bench) => bench.name);
	const named = all.filter((bench) => `${name}/`.startsWith(`${bench}/`));
	return {
		...inputs,
		benches: named.length > 0 ? named : all
	};
}
/** Leaves out whatever does not measure what is followed. */
function onlyFollowed(inputs, followed) {
	if (followed.lane !== "verifier" && inputOf(followed) === void 0) return {
		...onlyNamed(inputs, followed.benchmark),
		lanes: ["instructions"]
	};
	const isRun = inputs.packets.length + inputs.config.contexts.length > 0;
	return {
		...inputs,
		lanes: isRun ? inputs.lanes : ["verifier"],
		benches: []
	};
}
// src/report/count-table.ts
/** Columns, and the measures that they show; the verifier's states are no measure. */
const columns$1 = {
	verified: "verified-instructions",
	states: null,
	stack: "stack-bytes",
	xlated: "xlated-bytes",
	jited: "jited-bytes",
	maps: "map-bytes"
};
const maxReason = 600;
/** Renders head's programs as text. */
function renderCounts(results) {
	const blocks = results.kernels.map((kernel) => `${renderKernel(kernel, results)}\n`);
	const runs = results.measurements.filter(({ revision, lane }) => revision === "head" && lane === "instructions");
	return `${blocks.join("")}verified: instructions that the verifier walked; states: those it remembered; the others: bytes\n${explainRuns(runs)}`;
}
/** Explains what the tables of runs have; empty without any. */
function explainRuns(runs) {
	return [
		runs.some(({ behavior }) => behavior !== null) && "inputs: bpfgate's packets (packets/README.md) and contexts (docs/measurement.md), and those of [[input]]\n",
		runs.some(({ measure }) => measure === "events") && "events in calls: runs of the program while the process of the workload made that many system calls\n",
		runs.some(({ measure, exact }) => measure !== "events" && !exact) && "~: not exact: a mean of runs in readings that differ\n"
	].filter(Boolean).join("");
}
function renderKernel({ id, release, error, warnings }, { measurements, gaps }) {
	const own = measurements.filter(({ kernel, revision }) => kernel === id && revision === "head");
	const programs = groupBy(own.filter(({ lane }) => lane === "verifier"), ({ benchmark }) => benchmark);
	const missing = gaps.filter(({ kernel, revision, lane }) => kernel === id && revision === "head" && lane === "verifier");
	const loaded = programs.filter((measures) => amountOf(measures, "loads") === 1);
	const refused = programs.filter((measures) => amountOf(measures, "loads") === 0);
	const parts = [
		`${countOf(loaded.length, "program")} verified`,
		...refused.length > 0 ? [`${refused.length} refused`] : [],
		...missing.length > 0 ? [`${missing.length} not tried`] : []
	];
	const table = layOutColumns([["", ...Object.keys(columns$1)], ...loaded.map((measures) => [nameOf$1(measures), ...Object.values(columns$1).map((measure) => {
		const value = measure === null ? statesOf(measures) : amountOf(measures, measure);
		return value == null ? "" : formatNumber(value);
	})])], ["left", ...Object.keys(columns$1).map(() => "right")]);
	const known = new Set(missing.map(({ benchmark, reason }) => `object \`${objectOf(benchmark)}\`, head: ${reason}`));
	const lines = [
		...loaded.length > 0 ? table : [],
		...refused.flatMap((measures) => [`${nameOf$1(measures)}: refused: ${reasonOf(measures)}`, ...logOf(measures).map((line) => `  │ ${line}`)]),
		...missing.map(({ benchmark, needs, reason }) => {
			const why = needs === null ? reason ?? "unsupported" : `needs kernel ${needs}`;
			return `${toPlainLine(benchmark)}: not tried: ${clip(why)}`;
		}),
		...renderRuns(own.filter(({ lane }) => lane === "instructions")),
		...error === null ? [] : [`error: ${clip(error.message)}`],
		...groupWarnings(own),
		...warnings.filter((warning) => isOther(warning, known)).map((warning) => `warning: ${clip(warning)}`)
	];
	return `${toPlainLine(id)} (${toPlainLine(release)}): ${parts.join(", ")}\n${lines.map((line) => line === "" ? "\n" : `  ${line}\n`).join("")}`;
}
/** Renders what a run of each program took: a line for each number of instructions and return value. */
function renderRuns(runs) {
	const rows = groupBy(runs, ({ benchmark }) => programOf(benchmark)).flatMap((own) => {
		const runs = own.filter(({ measure }) => measure !== "events");
		const groups = groupBy(runs, ({ value, behavior }) => JSON.stringify([value, behavior?.returned]));
		const most = Math.max(...groups.map((group) => group.length));
		const rest = most > 3 ? groups.find((group) => group.length === most) : void 0;
		return [...groups.filter((group) => group !== rest), ...rest === void 0 ? [] : [rest]].map((group, index) => {
			const [{ benchmark, value, exact, behavior }] = group;
			const names = group.map((each) => inputName(each.benchmark));
			const which = group !== rest ? names.join(", ") : groups.length === 1 ? `all ${most} inputs` : `${most} others`;
			const events = own.find((each) => each.measure === "events" && each.benchmark === benchmark)?.samples[0];
			const often = events === void 0 ? "" : `: ${countOf(events.total, "event")} in ${events.count} calls`;
			return [
				index === 0 ? toPlainLine(programOf(benchmark)) : "",
				`${exact ? "" : "~"}${formatNumber(value)}`,
				toPlainLine(behavior?.returned ?? ""),
				`${which}${often}`
			];
		});
	});
	if (rows.length === 0) return [];
	return [
		"",
		"instructions per run, and return value",
		...layOutColumns(rows, [
			"left",
			"right",
			"left",
			"left"
		])
	];
}
/** Name of the program that ran on an input. */
function programOf(benchmark) {
	return benchmark.slice(0, benchmark.lastIndexOf("/"));
}
/** Name of the input that a program ran on. */
function inputName(benchmark) {
	return benchmark.slice(programOf(benchmark).length + 1);
}
/** Renders warnings about programs: a line for those that have the same. */
function groupWarnings(own) {
	const all = own.flatMap(({ lane, benchmark, warnings }) => {
		const program = lane === "verifier" ? benchmark : programOf(benchmark);
		return warnings.map((warning) => ({
			program: toPlainLine(program),
			warning
		}));
	});
	return groupBy(all, ({ warning }) => warning).map((group) => {
		const names = [...new Set(group.map(({ program }) => program))];
		return `warning: ${listNames(names)}: ${clip(group[0].warning)}`;
	});
}
/**
* Whether a warning is about something else than programs and objects that the lines above name.
*
* @param known warnings about objects
*/
function isOther(warning, known) {
	if (known.has(warning)) return false;
	return !warning.startsWith(`does not load: `) && !warning.startsWith(`could not be verified: `);
}
/** Name of the object that a gap is in. */
function objectOf(benchmark) {
	return benchmark.slice(0, benchmark.indexOf("/"));
}
function nameOf$1([first]) {
	return toPlainLine(first?.benchmark ?? "");
}
function amountOf(measures, wanted) {
	return measures.find(({ measure }) => measure === wanted)?.value;
}
function statesOf(measures) {
	return measures.find(({ verification }) => verification !== null)?.verification?.totalStates;
}
function refusalOf(measures) {
	return measures.find(({ measure }) => measure === "loads")?.refusal;
}
function reasonOf(measures) {
	const refusal = refusalOf(measures);
	return clip([refusal?.errno, refusal?.message].filter((part) => part != null).join(": "));
}
/** The end of the verifier's log without its statistics; empty where it says no more than the reason. */
function logOf(measures) {
	const { log = [], message = "" } = refusalOf(measures) ?? {};
	const lines = log.filter((line) => !/^(?:processed \d+ insns|stack depth )/.test(line));
	return lines.every((line) => message.startsWith(line)) ? [] : lines.slice(-5).map(clip);
}
function clip(text) {
	return clipMiddle(toPlainLine(text), maxReason);
}
// src/report/inside-table.ts
/** Number of rows of lines and calls that are shown, the most expensive. */
const maxRows = 20;
/** Renders the tables. */
function renderInside(inside, { measurements }) {
	const counts = new Map(measurements.filter(({ revision, lane, measure }) => revision === "head" && lane === "instructions" && measure !== "events").map(({ kernel, benchmark, value, exact }) => [JSON.stringify([kernel, benchmark]), {
		value,
		exact
	}]));
	const seen = inside.filter(({ lines }) => lines.length > 0);
	const blocks = groupBy(seen, ({ kernel, benchmark }) => JSON.stringify([kernel, programOf(benchmark)])).flatMap((ofProgram) => groupBy(ofProgram, ({ benchmark: _, ...found }) => JSON.stringify(found)).map((group) => {
		return renderGroup(group, group.flatMap(({ kernel, benchmark, counted }) => {
			const record = counts.get(JSON.stringify([kernel, benchmark]));
			return record === void 0 || Math.abs(record.value - counted) < 1e-6 ? [] : [{
				benchmark,
				...record
			}];
		}));
	}));
	const unseen = groupBy(inside.filter(({ lines }) => lines.length === 0), ({ kernel, reason }) => JSON.stringify([kernel, reason])).map((group) => {
		const names = [...new Set(group.map(({ benchmark }) => toPlainLine(programOf(benchmark))))];
		return `not seen inside, ${toPlainLine(group[0].kernel)}: ${names.join(", ")}: ${group[0].reason}\n`;
	});
	return [...blocks.length === 0 ? ["not seen inside: no program ran on an input\n"] : blocks, ...unseen].join("\n");
}
/** Whether the instructions of all programs that were seen add up to the kernel's count. */
function addsUp(inside) {
	return inside.every(({ lines, reason, rest }) => lines.length === 0 || reason === null && rest === 0);
}
/** @param differing what the boot of record counted, where that is something else */
function renderGroup(group, differing) {
	const [{ kernel, benchmark, reason, counted, lines, calls, empty, rest }] = group;
	const names = group.map((each) => toPlainLine(inputName(each.benchmark)));
	const inputs = names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 3 + 1} other inputs` : names.join(", ");
	const title = `${toPlainLine(programOf(benchmark))} on ${inputs}, ${toPlainLine(kernel)}`;
	const decimals = [...[counted, ...[...lines, ...calls].map(({ instructions }) => instructions)], ...calls.map((each) => each.calls)].every(Number.isInteger) ? 0 : 1;
	const toText = (value) => formatNumber(value, decimals);
	const all = [...lines.map(toLineRow), ...calls.map((call) => toCallRow(call, toText))].toSorted((a, b) => b.amount - a.amount);
	const further = all.slice(maxRows);
	const rows = [
		...all.slice(0, maxRows),
		...further.length === 0 ? [] : [{
			amount: further.reduce((sum, { amount }) => sum + amount, 0),
			where: `${further.length} others`
		}],
		...empty === null ? [] : [{
			amount: -empty,
			where: "an empty program, which does not count"
		}],
		...rest === 0 ? [] : [{
			amount: rest,
			where: "not seen: it does not add up"
		}]
	];
	const table = layOutColumns([["instructions", "where"], ...rows.map(({ amount, where }) => [toText(amount), where])], ["right", "left"]);
	const warnings = [...reason === null ? [] : [reason], ...differing.map(({ benchmark: own, value, exact }) => `${toPlainLine(own)}: the boot of record counted ${exact ? "" : "~"}${formatNumber(value)}`)];
	return [`${title}: ${toText(counted)} instructions a run`, ...[...table, ...warnings.map((warning) => `warning: ${warning}`)].map((line) => `  ${line}`)].join("\n").concat("\n");
}
function toLineRow({ file, line, instructions }) {
	return {
		amount: instructions,
		where: file === null ? "code without a known line" : toPlainLine(`${file}:${line}`)
	};
}
function toCallRow({ way, name, calls, instructions, least, most, frequent }, toText) {
	const times = `${Number.isInteger(calls) ? formatNumber(calls) : toText(calls)} ${way}${calls === 1 ? "" : "s"}`;
	const range = least === most ? "" : ` (${formatNumber(least)} to ${formatNumber(most)})`;
	return {
		amount: instructions,
		where: `${way === "interruption" ? "timer or exception" : toPlainLine(name ?? "")}, ${times} of ${formatNumber(frequent)}${range}`
	};
}
// src/export/sarif.ts
/** GitHub refuses a run of more results. */
const maxResults = 25e3;
/** Longest message, in characters: GitHub's limit for a rule's texts, as it names none for a result's. */
const maxMessage = 1e3;
const help = "bpfgate's report has every kernel and measure of the finding, and the command that measures it again. See docs/usage.md for what counts as a regression, and how to set a limit or accept a cost.";
/** What a result is about. GitHub closes and opens an alert again if its rule's id changes. */
const rules = {
	support: "A BPF program or benchmark no longer loads or runs on a kernel where base does",
	count: "A BPF program or benchmark executes more machine instructions than base, or counts more of another unit",
	verifier: "A BPF program takes more of the verifier, of code, stack or maps than base",
	time: "A benchmark takes longer than base",
	inconclusive: "It cannot be decided whether a BPF program or benchmark costs more than base"
};
/**
* Exports a result for each finding that is a regression (`error`, or `note` if it is accepted) or cannot be decided
* (`warning`), worst first. Improvements are left out, because GitHub makes an alert of every result. The location is
* the line that grew most, else the subject's, else the configuration's; lines outside the repository are left out.
* What could not be measured or did not fit is a notification.
*/
function exportSarif(results) {
	const { bpfgate, project } = results;
	const { findings, failures } = buildReport(results);
	const worse = findings.filter(({ verdict }) => verdict !== "improvement");
	const left = worse.length - maxResults;
	const notifications = [...failures.map(({ title, message, output }) => notify("error", [`${title}: ${toPlainName(message)}`, ...output].join("\n"))), ...left > 0 ? [notify("warning", `${countOf(left, "more finding")} left out`)] : []];
	const run = {
		tool: { driver: {
			name: "bpfgate",
			version: bpfgate,
			rules: Object.entries(rules).map(([id, text]) => ({
				id,
				shortDescription: { text },
				fullDescription: { text },
				help: { text: help }
			}))
		} },
		automationDetails: { id: `bpfgate/${toPlainLine(project.configFile)}/` },
		originalUriBaseIds: { "%SRCROOT%": { description: { text: "The repository's root." } } },
		invocations: [{
			executionSuccessful: failures.length === 0,
			toolExecutionNotifications: notifications
		}],
		results: worse.slice(0, maxResults).map((finding) => toResult(finding, toPlainLine(project.configFile)))
	};
	return `${toPlainJson({
		$schema: "https://json.schemastore.org/sarif-2.1.0.json",
		version: "2.1.0",
		runs: [run]
	}, 2)}\n`;
}
function toResult(finding, configFile) {
	const { id, verdict, isAccepted, accepted, subject, change, where, source, growth, repeat } = finding;
	const subjects = source === null ? [] : [{
		source,
		text: "the subject"
	}];
	const grown = (growth?.lines ?? []).map(({ source, delta }) => ({
		source,
		text: `${delta} machine instructions`
	}));
	const sentences = [
		`${toPlainName(subject)} ${change}`,
		...where.length === 0 ? [] : [`At ${toPlainName(where)}`],
		toText(repeat)
	];
	const [first, ...related] = [...grown, ...subjects].filter(({ source: { file } }) => !file.startsWith("/"));
	return {
		ruleId: findRule(finding),
		level: isAccepted ? "note" : verdict === "regression" ? "error" : "warning",
		message: toMessage(sentences.join(". ")),
		locations: [locate(first?.source ?? {
			file: configFile,
			line: 1
		})],
		relatedLocations: related.map(({ source: place, text }, index) => ({
			id: index + 1,
			...locate(place),
			message: toMessage(text)
		})),
		...isAccepted ? { suppressions: [{
			kind: "external",
			justification: accepted.map(toPlainName).join("; ")
		}] } : {},
		partialFingerprints: { primaryLocationLineHash: id }
	};
}
function findRule({ verdict, lead: [row] }) {
	if (verdict === "inconclusive") return "inconclusive";
	if (row === void 0 || isLoads(row) || row.cells.some((cell) => cell?.needs?.side === "head")) return "support";
	return row.lane === "instructions" ? "count" : row.lane;
}
function locate({ file, line }) {
	return { physicalLocation: {
		artifactLocation: {
			uri: toUrl(file),
			uriBaseId: "%SRCROOT%"
		},
		region: { startLine: line }
	} };
}
function notify(level, text) {
	return {
		level,
		message: toMessage(text)
	};
}
/** Writes braces as the standard says, and breaks what a reader would take for a link or a mention. Lines stay. */
function toMessage(text) {
	const broken = toPlainText(text).replace(/[{}]/g, "$&$&").replace(/\](?=\()|@|:(?=\/\/)|\bwww(?=\.)/gi, "$&​");
	return { text: clipMiddle(broken, maxMessage) };
}
// src/export/veristat.ts
const numbers = [
	["duration", "timeUs"],
	["total_insns", "instructions"],
	["total_states", "totalStates"],
	["peak_states", "peakStates"],
	["max_states_per_insn", "maxStatesPerInstruction"],
	["max_mark_read_len", "markRead"]
];
const keyColumns = ["file_name", "prog_name"];
const valueColumns = ["verdict", ...numbers.map(([column]) => column)];
/**
* Exports a row for each program of one revision, as `veristat -o csv` prints it. Where several kernels are in the
* results, their ids come in a first column `kernel`, which veristat does not have.
*
* @throws InputError when the verifier lane has not measured the revision
*/
function exportVeristat(results, revision = "head") {
	if (hasRows(results, revision)) return formatRows(results, revision);
	throw new InputError(`the result file holds no program of ${revision} from the verifier lane`, { hint: "give the results.json of a run with `verifier` among its lanes" });
}
/** Formats what `veristat -C -o csv` prints of base and head, or head's rows as they are where base has none. */
function renderVeristat(results) {
	return hasRows(results, "base") ? formatPairs(results) : formatRows(results, "head");
}
function hasRows(results, revision) {
	return results.kernels.some((kernel) => listRows(results, kernel, revision).length > 0);
}
function formatRows(results, revision) {
	return formatTable(results, valueColumns, (kernel) => listRows(results, kernel, revision).map((row) => [...keysOf(row), ...row.cells]));
}
function formatPairs(results) {
	return formatTable(results, valueColumns.flatMap((column) => [
		`${column}_base`,
		`${column}_comp`,
		`${column}_diff`
	]), (kernel) => joinRows(listRows(results, kernel, "base"), listRows(results, kernel, "head")).map(([base, head]) => {
		const cells = valueColumns.flatMap((_, index) => {
			const [from, to] = [base?.cells[index] ?? "N/A", head?.cells[index] ?? "N/A"];
			return [
				from,
				to,
				formatDifference(from, to)
			];
		});
		return [...keysOf(base ?? head), ...cells];
	}));
}
function formatTable({ kernels }, columns, rowsOf) {
	const isSingle = kernels.length <= 1;
	return [[
		...isSingle ? [] : ["kernel"],
		...keyColumns,
		...columns
	], ...kernels.flatMap((kernel) => rowsOf(kernel).map((row) => [...isSingle ? [] : [toField$1(kernel.id)], ...row]))].map((cells) => `${cells.join(",")}\n`).join("");
}
/** Lists the programs of a revision in veristat's order. One that could not be tried failed with zeros, as there. */
function listRows({ measurements, gaps }, kernel, revision) {
	const files = new Map(Object.entries(kernel.objects));
	const toRow = (name, isLoaded, verification) => {
		const slash = name.indexOf("/");
		const object = name.slice(0, slash);
		const path = files.get(object) ?? `${object}.bpf.o`;
		return {
			file: path.slice(path.lastIndexOf("/") + 1),
			program: name.slice(slash + 1),
			cells: [isLoaded ? "success" : "failure", ...numbers.map(([, key]) => verification?.[key] ?? 0)]
		};
	};
	const isOwn = (each) => each.kernel === kernel.id && each.lane === "verifier" && each.revision === revision;
	const tried = measurements.filter((each) => isOwn(each) && each.measure === "loads");
	const untried = gaps.filter((each) => isOwn(each) && !each.benchmark.endsWith("/*"));
	return [...tried.map((each) => toRow(each.renamedFrom ?? each.benchmark, each.value === 1, each.verification)), ...untried.map(({ benchmark }) => toRow(benchmark, false, null))].sort(compareRows);
}
function compareRows(a, b) {
	return compare(a.file, b.file) || compare(a.program, b.program);
}
/** Joins sorted rows by file and program. A renamed program is two rows, since veristat knows names only. */
function joinRows(base, head) {
	const pairs = [];
	for (let [b, h] = [0, 0]; b < base.length || h < head.length;) {
		const [from, to] = [base[b], head[h]];
		const order = from === void 0 ? 1 : to === void 0 ? -1 : compareRows(from, to);
		pairs.push([order <= 0 ? from : void 0, order >= 0 ? to : void 0]);
		if (order <= 0) b += 1;
		if (order >= 0) h += 1;
	}
	return pairs;
}
function keysOf(row) {
	return [toField$1(row?.file ?? ""), toField$1(row?.program ?? "")];
}
/** `MATCH`, `+12 (+3.50%)`; `N/A` where a side has no row. */
function formatDifference(base, head) {
	if (base === "N/A" || head === "N/A") return "N/A";
	if (typeof base === "string" || typeof head === "string") return base === head ? "MATCH" : "MISMATCH";
	const delta = head - base;
	const percent = base === 0 ? 100 * Math.sign(delta) : delta * 100 / base;
	const sign = delta < 0 ? "-" : "+";
	return `${sign}${Math.abs(delta)} (${sign}${formatHundredths(Math.abs(percent))}%)`;
}
/** Rounds as C does, which takes the even digit where two are equally near. */
function formatHundredths(value) {
	return (value * 8 % 4 === 1 ? value - .005 : value).toFixed(2);
}
/** Quotes a name that has a comma or a quote. veristat does not, so that its own row has a column too many. */
function toField$1(name) {
	const plain = toPlainLine(name);
	return /[",]/.test(plain) ? `"${plain.replaceAll("\"", "\"\"")}"` : plain;
}
// src/commands/show-run.ts
/** Runs the gate. If it fails, the output folder has the reason and the complete outputs behind the error. */
async function gate(inputs, guests, options) {
	try {
		return await runGate(inputs, guests, options);
	} catch (error) {
		if (error instanceof GateError && !(error instanceof InputError) && !context.signal.aborted) {
			await publishFailure(error, [], inputs.out).catch((problem) => log.warn(problem.message));
			for (const name of Object.keys(error.logs)) say(`the whole output is in ${join(inputs.out, "logs", name)}`);
		}
		throw error;
	}
}
/**
* Prints a run and writes it to the output folder.
*
* @throws InterruptedError when it was interrupted; what had been measured is printed, but is incomplete
*/
async function conclude(run, format, out, timing = false) {
	print(run.results, format, () => out);
	const schedule = timing ? readSchedule() : void 0;
	await publishRun(run, out, schedule);
	if (schedule !== void 0) process.stderr.write(`${renderSchedule(schedule, process.stderr.columns ?? 100)}\n`);
	say(`the report as a page: ${join(out, "report.html")}; results.json and report.md are next to it`);
	context.signal.throwIfAborted();
}
/** @param folderOf the output folder in which the profiles of a kernel's bench are */
function print(results, format, folderOf) {
	const model = () => buildReport(results, {
		profilesIn: folderOf,
		linkProfiles: false
	});
	if (format === "json") write(serializeResults(results));
	else if (format === "markdown") write(renderMarkdown(model()));
	else if (format === "sarif") write(exportSarif(results));
	else if (format === "veristat") printVeristat(results);
	else write(renderText(model(), {
		width: process.stdout.columns ?? 100,
		colour: process.stdout.isTTY === true
	}));
}
/** Prints veristat's CSV. It has no place for a kernel that failed, so that goes to stderr. */
function printVeristat(results) {
	for (const { id, error } of results.kernels) if (error !== null) log.warn(`kernel ${id} is not in the CSV, or not all of it: ${error.message}`);
	write(renderVeristat(results));
}
// src/commands/count.ts
const countFormats = [
	"text",
	"json",
	"veristat"
];
function addCount(program) {
	program.command("count").description("install what is missing, and print whether each program of BPF objects loads and what it costs").argument("<object...>", "object files, or globs in quotes: `*` matches within and across folders").option("--kernels <list>", `${kernelSelectors} (default: lts)`).option("--out <dir>", "folder for report.html, report.md and results.json (default: none is written)").addOption(timeoutOption).addOption(runnerOption()).addOption(snapshotOption).addOption(freshOption).addOption(auditOption).option("--inside", "also print where the instructions of each run go: by source line, and by called function (needs Rust and vmtest; not in JSON)").addOption(new Option("--format <format>", "what to print on stdout").choices(countFormats).default("text")).action(async (objects, { kernels, out, format, runner, timeout, inside, ...options }) => {
		refuseKernels(objects, kernels);
		const given = {
			headObjects: `${objects.join("\n")}\n`,
			kernels,
			runner,
			out: out ?? tmpdir()
		};
		const inputs = await readInputs(given, (option) => option === "head-objects" ? "count" : `--${option}`);
		if (inside) requirePluginRunner(inputs, "--inside");
		sayLeftOut(inputs.kernels, "--kernels");
		const { tools, all: guestTools, stop } = await installForGate(inputs, context);
		const guests = {
			...guestsWith(tools, options),
			inside: inside && "head"
		};
		const run = await (out === void 0 ? runGate : gate)(inputs, guests, {
			guestTools,
			kernelTimeoutMs: timeout && timeout * 1e3
		}).finally(stop);
		if (format === "veristat") printVeristat(run.results);
		else if (format === "json") write(serializeResults(run.results));
		else write(renderCounts(run.results) + (inside ? `\n${renderInside(run.inside, run.results)}` : ""));
		if (out !== void 0) await publishRun(run, inputs.out);
		context.signal.throwIfAborted();
		const isWhole = run.results.kernels.every(({ error }) => error === null) && addsUp(run.inside);
		process.exitCode = isWhole ? 0 : 3;
	});
}
/** Refuses the id of a kernel among objects, as `--kernels 6.1 6.12` puts it there. */
function refuseKernels(objects, kernels) {
	const ids = objects.filter((word) => readPins().some(({ id }) => id === word) && !existsSync(word));
	if (ids.length === 0) return;
	const list = [...kernels === void 0 ? [] : [kernels], ...ids].join(",");
	throw new InputError(`count: there is no file \`${ids[0]}\``, { hint: `separate kernels by commas: --kernels ${list}` });
}
// src/commands/demo-project.ts
/** Folder of the project that is copied into the repository. */
const exampleProject = join(packageRoot, "example-project");
const demoBase = "base";
const demoHead = "head";
/** Cargo features that head turns on by default, each in a commit of its own. */
const plants = [{
	crate: "xdp-common",
	feature: "slow-fibonacci",
	message: "xdp: compute the Fibonacci sequence for every packet"
}, {
	crate: "profiler",
	feature: "oops",
	message: "profiler: take a short break after each sample"
}];
/**
* Benchmarks and measures that they make worse, each on every kernel; nothing else may change. The planted break
* allocates from the heap: it shows in the total, but not in the peak, and is freed at the end.
*/
const planted = [
	{
		name: "macro/fun_xdp bpf-instructions",
		pattern: /^macro\/fun_xdp.* bpf-instructions$/
	},
	{
		name: "macro/fun_xdp latency",
		pattern: /^macro\/fun_xdp.* (net-)?latency$/
	},
	{
		name: "micro/source_addr instructions",
		pattern: /^micro\/source_addr instructions$/
	},
	{
		name: "profiler/process_sample instructions",
		pattern: /^profiler\/process_sample instructions$/
	},
	{
		name: "heap/process_sample total-bytes",
		pattern: /^heap\/process_sample total-bytes$/
	},
	{
		name: "heap/process_sample total-blocks",
		pattern: /^heap\/process_sample total-blocks$/
	},
	{
		name: "xdp/fun_xdp verified-instructions",
		pattern: /^xdp\/fun_xdp verified-instructions$/
	},
	{
		name: "xdp/fun_xdp stack-bytes",
		pattern: /^xdp\/fun_xdp stack-bytes$/
	},
	{
		name: "xdp/fun_xdp xlated-bytes",
		pattern: /^xdp\/fun_xdp xlated-bytes$/
	},
	{
		name: "xdp/fun_xdp jited-bytes",
		pattern: /^xdp\/fun_xdp jited-bytes$/
	}
];
/**
* Makes the repository, with tags `base` and `head`, or finds it in the cache. Equal sources give equal commits.
*
* @returns the absolute path of the project
*/
async function makeDemoRepository(cache) {
	const source = exampleProject;
	const key = await hashFolder(source);
	const folder = await publishEntry(cache, "demo", key.slice(0, 16), async (entry) => {
		const project = join(entry, "example-project");
		await cp(source, project, {
			recursive: true,
			filter: (path) => !isGenerated(path, source)
		});
		await git(project, [
			"init",
			"--quiet",
			"--initial-branch=main"
		]);
		await commit(project, "The example project");
		await git(project, ["tag", demoBase]);
		for (const { crate, feature, message } of plants) {
			const manifest = join(project, crate, "Cargo.toml");
			const before = await readFile(manifest, "utf8");
			const after = before.replace("default = []", `default = ["${feature}"]`);
			if (after === before) throw new MachineError(`${manifest} has no \`default = []\` to plant the regression in`);
			await writeFile(manifest, after);
			await commit(project, message);
		}
		await git(project, ["tag", demoHead]);
	});
	return join(folder, "example-project");
}
/** Lists what the gate should have reported and did not; empty if it behaved as it must. */
function demoFailures(results) {
	const failures = [];
	for (const { id, error } of results.kernels) {
		if (error !== null) {
			failures.push(`${id} could not be measured: ${error.message}`);
			continue;
		}
		const compared = results.comparisons.filter(({ kernel }) => kernel === id).map(toKey);
		const missing = planted.filter(({ pattern }) => !compared.some((key) => pattern.test(key)));
		failures.push(...missing.map(({ name }) => `${name} was not compared on ${id}`));
	}
	for (const comparison of results.comparisons) {
		const { kernel, benchmark, measure, verdict, delta, warnings } = comparison;
		const expected = planted.some(({ pattern }) => pattern.test(toKey(comparison))) ? "regression" : "unchanged";
		if (verdict === expected) continue;
		const why = warnings.length === 0 ? "" : `: ${warnings.join("; ")}`;
		failures.push(`${benchmark} (${measure}) on ${kernel}: ${verdict} (${delta}), expected ${expected}${why}`);
	}
	return failures;
}
function toKey({ benchmark, measure }) {
	return `${benchmark} ${measure}`;
}
function isGenerated(path, source) {
	return path === join(source, "target") || path === join(source, ".git");
}
/** Hashes the folder's files and what is planted in them. */
async function hashFolder(folder) {
	const hash = createHash("sha256").update(JSON.stringify(plants));
	const walk = async (path) => {
		const entries = await readdir(path, { withFileTypes: true });
		for (const entry of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
			const child = join(path, entry.name);
			if (isGenerated(child, folder)) continue;
			if (entry.isDirectory()) await walk(child);
			else hash.update(child.slice(folder.length)).update(await readFile(child));
		}
	};
	await walk(folder);
	return hash.digest("hex");
}
async function commit(project, message) {
	await git(project, ["add", "--all"]);
	await git(project, [
		"commit",
		"--quiet",
		"--message",
		message
	]);
}
function git(project, args) {
	const variables = Object.fromEntries(Object.entries({
		NAME: "bpfgate demo",
		EMAIL: "demo@bpfgate.invalid",
		DATE: "2026-01-01T00:00:00Z"
	}).flatMap(([part, value]) => [[`GIT_AUTHOR_${part}`, value], [`GIT_COMMITTER_${part}`, value]]));
	return runOrThrow("git", args, {
		cwd: project,
		variables: {
			...variables,
			GIT_CONFIG_GLOBAL: "/dev/null",
			GIT_CONFIG_SYSTEM: "/dev/null"
		}
	});
}
// src/commands/demo.ts
function addDemo(program) {
	program.command("demo").description("install what is missing and run the gate on the bundled example project with two planted regressions").option("--kernels <list>", "kernel selectors", "5.10,6.1").option("--out <dir>", `folder for report.html, report.md and results.json (default: ${defaultOut})`).addOption(runnerOption().default(runners[0])).addOption(snapshotOption).addOption(freshOption).addOption(auditOption).addOption(timingOption).action(async (options) => {
		chooseKernels([options.kernels], context.cache);
		const given = {
			...options,
			base: demoBase,
			head: demoHead
		};
		const read = (project) => readInputs({
			...given,
			project
		});
		const installing = await installForGate(await read(exampleProject), context);
		try {
			const project = await makeDemoRepository(context.cache);
			const inputs = await read(project);
			const run = await gate(inputs, guestsWith(installing.tools, options), { guestTools: installing.all });
			await conclude(run, "text", inputs.out, options.timing);
			say(`demo: the commands that repeat findings run in ${project}`);
			const failures = demoFailures(run.results);
			for (const failure of failures) log.warn(`demo: ${failure}`);
			if (failures.length === 0) say("demo: both planted regressions were found on every kernel, and nothing else changed");
			process.exitCode = failures.length === 0 ? 0 : 1;
		} finally {
			await installing.stop();
		}
	});
}
// src/prerequisites/render.ts
/**
* Renders one line per prerequisite. Below each missing one stand what needs it and the command that fixes that.
*
* @param optional groups that are not required
*/
function renderPrerequisites(statuses, optional = optionalGroups) {
	const width = Math.max(0, ...statuses.map((status) => status.prerequisite.name.length));
	const sections = prerequisiteGroups.flatMap((group) => {
		const own = statuses.filter((status) => status.prerequisite.group === group);
		if (own.length === 0) return [];
		return [[`${needs[group].title}:`, ...own.flatMap((status) => renderStatus(status, width, optional))].join("\n")];
	});
	const missing = findMissing(statuses).filter(({ prerequisite }) => !optional.includes(prerequisite.group)).length;
	const verdict = missing === 0 ? "nothing is missing" : `${missing} missing; \`bpfgate doctor --install\` installs what it can`;
	return [...sections, verdict].join("\n\n");
}
function renderStatus({ prerequisite, present, version, identity, path, problem, remedy, neededBy }, width, optional) {
	const name = prerequisite.name.padEnd(width);
	if (present) return [`  ok       ${name}  ${identity ?? version ?? ""}`.trimEnd()];
	const what = `${path === null ? "" : `${path} `}${problem}; needed to ${prerequisite.purpose}`;
	const word = optional.includes(prerequisite.group) ? "absent " : "missing";
	const indent = `           ${" ".repeat(width)}  `;
	return [
		`  ${word}  ${name}  ${what}`,
		...neededBy.map((by) => `${indent}${by} needs it`),
		`${indent}fix: ${remedy}`
	];
}
// src/workflow/hosted-runner.ts
/**
* Taken from images/ubuntu/Ubuntu2404-Readme.md and images/ubuntu/toolsets/toolset-2404.json of actions/runner-images,
* commit 749514466b4f51b7dc8d9f1cda62257dcf13d183 of 2026-08-21. The image changes weekly: look there before you rely
* on a line of this, and note the version of the image.
*/
const hostedRunner = {
	/** Labels of the one image that bpfgate is made for, the lasting one first. */
	labels: ["ubuntu-24.04", "ubuntu-latest"],
	image: "20260816.277.1",
	/** Major versions of clang; the last one is `clang`. */
	clang: [
		"16",
		"17",
		"18"
	],
	/** The newest Go; the one on PATH is 1.24.13. */
	newestGo: "1.26.6"
};
/** Labels of GitHub's other machines. */
const otherHostedLabel = /^(ubuntu-(\d\d\.\d\d|slim)|windows-|macos-)/;
/** What builds of eBPF projects ask for and the image does not have. */
const absentFromImage = [
	{
		word: /-lbpf\b/,
		vendored: /libbpf/,
		name: "libbpf",
		packages: ["libbpf-dev"]
	},
	{
		word: /-lelf\b|\blibbpf-(?:sys|rs|cargo)\b/,
		name: "libelf",
		packages: ["libelf-dev"]
	},
	{
		word: /-lpcap\b/,
		name: "libpcap",
		packages: ["libpcap-dev"]
	},
	{
		word: /\b(?:llvm-(?:strip|objcopy|objdump|config)|llc)\b/,
		name: "the tools of LLVM",
		packages: ["llvm"]
	},
	{
		word: /\bbpftool\b/,
		vendored: /bpftool/,
		name: "bpftool",
		packages: ["linux-tools-common", "linux-tools-azure"]
	},
	{
		word: /\bpahole\b/,
		name: "pahole",
		packages: ["dwarves"]
	},
	{
		word: /\bmeson\b/,
		name: "meson",
		packages: ["meson"]
	}
];
// src/workflow/render-diagnosis.ts
/** @param path of the workflow, as messages name it */
function renderDiagnosis({ findings, notes }, path) {
	const file = toPlainLine(path);
	const lines = [...findings.flatMap(({ line, what, why, next }) => [
		`${file}:${line}: ${toPlainLine(what)}`,
		`    why:  ${toPlainLine(why)}`,
		`    next: ${toPlainLine(next)}`
	]), ...notes.map(({ line, text }) => `${file}:${line}: note: ${toPlainLine(text)}`)];
	const count = findings.length === 0 ? "no findings" : countOf(findings.length, "finding");
	return [...lines, `${count}; compared with ${hostedRunner.labels[0]}, image ${hostedRunner.image}`].join("\n");
}
// src/workflow/find-calls.ts
/** The steps and reusable workflows, by their files in bpfgate's repository. */
const callableFiles = [
	"action.yml",
	"plan/action.yml",
	"report/action.yml",
	"record/action.yml",
	"publish/action.yml",
	".github/workflows/gate.yml",
	".github/workflows/publish.yml"
];
function findCalls(workflow, callables) {
	const calls = [];
	const unknown = [];
	const add = (uses, call) => {
		const [whole, folder = ""] = /^[^/@\s]+\/bpfgate(?:\/([^@]*))?(?:@|$)/.exec(uses?.text ?? "") ?? [];
		if (uses === null || whole === void 0) return;
		const wanted = call.step === null ? folder : `${folder}${folder === "" ? "" : "/"}action.yml`;
		const file = callableFiles.find((name) => name === wanted);
		if (file === void 0) unknown.push({
			uses,
			path: folder
		});
		else calls.push({
			...call,
			uses,
			file,
			callable: callables.get(file)
		});
	};
	for (const job of workflow.jobs) {
		add(job.uses, {
			job,
			step: null,
			before: [],
			inputs: job.with
		});
		job.steps.forEach((step, index) => {
			add(step.uses, {
				job,
				step,
				before: job.steps.slice(0, index),
				inputs: step.with
			});
		});
	}
	return {
		calls,
		unknown
	};
}
/** The earlier step that checks out the project's repository; undefined where there is none. */
function checkoutOf({ before }) {
	return before.findLast(({ uses, with: inputs }) => uses?.text.startsWith("actions/checkout@") === true && !inputs.has("repository"));
}
/** Whether a call builds and measures the project. */
function measures({ file }) {
	return file === "action.yml" || file === ".github/workflows/gate.yml";
}
/**
* Values of an input: the given one, every value of a matrix key, or the default. Null where only a run knows.
*
* @returns no value where the input is empty and has no default
*/
function valuesOf(call, name) {
	const given = call.inputs.get(name);
	if (given === void 0 || given.text === "") {
		const text = call.callable.inputs.get(name)?.default ?? "";
		return text === "" ? [] : text.includes("${{") ? null : [{
			line: call.uses.line,
			text
		}];
	}
	return resolve(given, call.job);
}
/** The values of an expression that is a key of the matrix; null for every other expression. */
function resolve(value, job) {
	if (!value.text.includes("${{")) return [value];
	const key = /^\$\{\{\s*matrix\.([\w-]+)\s*\}\}$/.exec(value.text)?.[1];
	const values = key === void 0 ? void 0 : job.matrix.get(key);
	return values === void 0 || values.some(({ text }) => text.includes("${{")) ? null : values;
}
// src/workflow/check-workflow.ts
/** Names of the files that say what a build needs. */
const projectFiles = [
	"Cargo.toml",
	"go.mod",
	"Makefile",
	"GNUmakefile",
	"makefile",
	"CMakeLists.txt",
	"meson.build"
];
/** Default time limit of the step for one kernel, in seconds. */
const kernelSeconds = 1800;
const booleans = ["true", "false"];
const allowedValues = {
	"fail-on": failOnValues,
	comment: commentModes,
	annotations: booleans,
	"check-run": booleans,
	cache: booleans
};
/** The folders and configurations that a workflow names for its projects, each once. */
function namedProjects(workflow, callables) {
	const named = findCalls(workflow, callables).calls.flatMap((call) => {
		if (!measures(call)) return [];
		const configs = valuesOf(call, "config") ?? [];
		return (valuesOf(call, "project") ?? []).map(({ text }) => ({
			project: folderInRepository(call, text),
			config: configs[0]?.text ?? "bpfgate.toml"
		}));
	});
	return distinctBy(named, ({ project, config }) => JSON.stringify([project, config]));
}
/** The folder that an input `project` names, from the root of the repository; empty for the root itself. */
function folderInRepository(call, project) {
	const path = normalizeRelative(checkoutOf(call)?.with.get("path")?.text ?? "");
	const folder = normalizeRelative(project);
	return path !== "" && `${folder}/`.startsWith(`${path}/`) ? folder.slice(path.length + 1) : folder;
}
/** @throws InputError when the workflow does not use bpfgate */
function checkWorkflow(workflow, surroundings) {
	const { calls, unknown } = findCalls(workflow, surroundings.callables);
	if (calls.length === 0 && unknown.length === 0) throw new InputError(`${workflow.file} has no step or job that uses bpfgate`, { hint: "examples/workflows of bpfgate has complete workflows" });
	const checker = new Checker(workflow, surroundings);
	for (const { uses, path } of unknown) checker.unknownAction(uses, path);
	for (const call of calls) checker.call(call);
	return checker.diagnosis();
}
var Checker = class {
	#workflow;
	#surroundings;
	#findings = /* @__PURE__ */ new Map();
	#notes = /* @__PURE__ */ new Map();
	#packages = /* @__PURE__ */ new Set();
	constructor(workflow, surroundings) {
		this.#workflow = workflow;
		this.#surroundings = surroundings;
	}
	/** Findings and notes, each once, sorted by line. */
	diagnosis() {
		const inOrder = (found) => [...found.values()].sort((one, other) => one.line - other.line);
		return {
			findings: inOrder(this.#findings),
			notes: inOrder(this.#notes),
			packages: [...this.#packages]
		};
	}
	#find(line, what, why, next) {
		this.#findings.set(`${line} ${what}`, {
			line,
			what,
			why,
			next
		});
	}
	#note(line, text) {
		this.#notes.set(`${line} ${text}`, {
			line,
			text
		});
	}
	unknownAction(uses, path) {
		this.#find(uses.line, `bpfgate has no \`${path}\``, "the run ends when it is looked up", `use one of \`report\`, \`plan\`, \`record\`, \`publish\`, \`.github/workflows/gate.yml\`, \`.github/workflows/publish.yml\``);
	}
	call(call) {
		this.#checkPlaceholders(call);
		this.#checkInputs(call);
		this.#checkOutputs(call);
		this.#checkPermissions(call);
		if (call.file === "plan/action.yml") this.#checkCheckout(call);
		if (!measures(call)) return;
		this.#checkTriggers(call);
		this.#checkRunner(call);
		if (call.step === null) this.#checkOwnCheckout(call);
		else this.#checkHistory(call, this.#checkCheckout(call));
		const kernels = this.#checkProject(call);
		this.#checkTime(call, kernels);
	}
	/** Finds what the examples leave to fill in. */
	#checkPlaceholders({ uses }) {
		if (!/^OWNER\/|@(?:0{40}|COMMIT)$/.test(uses.text)) return;
		const what = `\`uses: ${uses.text}\` is a placeholder`;
		this.#find(uses.line, what, "GitHub finds no action or workflow there, and starts nothing", "fill in the owner and the commit of bpfgate");
	}
	#checkInputs(call) {
		const { callable } = call;
		for (const [name, value] of call.inputs) {
			const input = callable.inputs.get(name);
			if (input === void 0) {
				const known = [...callable.inputs.keys()];
				const near = suggest(name, known);
				const why = call.step === null ? "GitHub does not start the run" : "it is ignored";
				this.#find(value.line, `unknown input \`${name}\`${near}`, why, `inputs are ${known.join(", ")}`);
				continue;
			}
			const values = resolve(value, call.job);
			for (const each of values ?? []) this.#checkValue(name, each, input.type);
		}
		for (const [name, { required, default: text }] of callable.inputs) {
			if (!required || text !== null || call.inputs.has(name)) continue;
			this.#find(call.uses.line, `no input \`${name}\``, "it is required", `add it to \`with\``);
		}
	}
	#checkValue(name, value, type) {
		const { line, text, written } = value;
		if (written !== void 0) {
			const what = `\`${written}\` without quotes is the number ${text}`;
			this.#find(line, what, "GitHub reads it so", `write "${written}"`);
			return;
		}
		if (text === "") return;
		const refuse = (why, next) => this.#find(line, `input ${name}: \`${text}\``, why, next);
		const allowed = type === "boolean" ? booleans : allowedValues[name];
		if (allowed !== void 0) {
			if (!allowed.includes(text)) refuse("it is not allowed", `use one of ${allowed.join(", ")}`);
			return;
		}
		if (type === "number" && !/^\d+$/.test(text)) {
			refuse("it is not a number", "give a number");
			return;
		}
		const parse = {
			lanes: () => parseLanes(text, "input lanes"),
			shard: () => parseShard(text, "input shard"),
			shards: () => parseShards(text, "input shards"),
			timeout: () => parseSeconds(text, "input timeout"),
			packages: () => parsePackageNames(text, "input packages"),
			kernels: () => this.#surroundings.selectKernels([text])
		}[name];
		this.#try(line, () => parse?.());
	}
	/** Returns the result of `work`. An InputError becomes a finding, unless another check reports it. */
	#try(line, work, isFinding = true) {
		try {
			return work();
		} catch (error) {
			if (!(error instanceof InputError)) throw error;
			if (isFinding) this.#find(line, error.message, "the step refuses it", error.hint ?? "correct it");
			return;
		}
	}
	/** Finds reads of outputs that the call does not have. */
	#checkOutputs(call) {
		const { outputs } = call.callable;
		const { step, job } = call;
		const reads = step === null ? this.#workflow.jobs.flatMap(({ texts }) => outputsRead(texts, "needs", job.id)) : outputsRead(job.texts, "steps", step.id);
		for (const { line, name } of reads) {
			if (outputs.has(name)) continue;
			const known = outputs.size === 0 ? "it has none" : `outputs are ${[...outputs].join(", ")}`;
			this.#find(line, `unknown output \`${name}\`${suggest(name, [...outputs])}`, "it is empty", known);
		}
	}
	#checkPermissions(call) {
		const wanted = this.#wantedPermissions(call);
		const permissions = call.job.permissions ?? this.#workflow.permissions;
		const line = (call.job.permissions ?? call.job).line;
		const missing = [...wanted].filter(([scope, { level }]) => {
			if (permissions === null) return scope !== "contents" || level === "write";
			const granted = permissions.all ?? permissions.scopes.get(scope)?.text ?? "none";
			return !granted.startsWith("write") && !(level === "read" && granted.startsWith("read"));
		});
		for (const [scope, { level, why }] of missing) {
			const what = permissions === null ? `no \`permissions\`, and \`${scope}: ${level}\` is needed` : `the permission \`${scope}: ${level}\` is missing`;
			const default_ = permissions === null ? "; without `permissions` a setting of the repository decides" : "";
			const next = `add \`${scope}: ${level}\` to the \`permissions\` of job \`${call.job.id}\``;
			this.#find(line, what, `${why}${default_}`, next);
		}
	}
	#wantedPermissions(call) {
		const wanted = /* @__PURE__ */ new Map();
		const want = (scope, level, why) => wanted.set(scope, {
			level,
			why
		});
		for (const [scope, level] of call.callable.permissions) want(scope, level, "GitHub does not start a reusable workflow that asks for more than its caller has");
		if (call.step === null) return wanted;
		const isOneOf = (name, values) => valuesOf(call, name)?.some(({ text }) => values.includes(text)) === true;
		const comments = this.#runsOn([
			"pull_request",
			"workflow_run",
			"pull_request_target"
		]) && isOneOf("comment", ["always", "on-change"]);
		if (comments) want("pull-requests", "write", "the comment needs it");
		const adds = isOneOf("check-run", ["true"]);
		if (adds) want("checks", "write", "the check run needs it");
		if (call.file === "action.yml") {
			want("contents", "read", "actions/checkout needs it in a private repository");
			if ((comments || adds) && !call.inputs.get("github-token")?.text) {
				const what = `\`${comments ? "comment" : "check-run"}\` without \`github-token\``;
				this.#find(call.uses.line, what, "this step has no token by default, because it runs the code of the project", "comment from a job with the step `report`, as examples/workflows/matrix.yml does");
			}
		} else if (call.file === "record/action.yml") want("contents", "write", "the step pushes to the history branch");
		else if (call.inputs.has("history-branch")) want("contents", "read", "the step reads the history branch");
		if (call.file !== "action.yml" && call.file !== "plan/action.yml" && call.inputs.has("artifact-name")) want("actions", "read", "the step downloads artifacts");
		return wanted;
	}
	#runsOn(events) {
		return events.some((name) => this.#workflow.triggers.has(name));
	}
	#checkTriggers(call) {
		const { triggers } = this.#workflow;
		const target = triggers.get("pull_request_target");
		if (target !== void 0) this.#find(target, "the workflow runs on `pull_request_target`", "its runs have the secrets and a token that can write, and this workflow runs the code of the pull request", "use `pull_request`; examples/workflows/forks.yml comments on pull requests from forks");
		const line = triggers.get("pull_request");
		const fills = this.#runsOn([
			"push",
			"schedule",
			"workflow_dispatch",
			"workflow_call"
		]);
		if (line === void 0 || fills || call.inputs.get("cache")?.text === "false") return;
		this.#find(line, "no run on the base branch fills the cache", "pull requests only read the cache, so every run would fetch and compile everything again", "add `push: { branches: [main] }` to `on`");
	}
	#checkRunner(call) {
		const runners = runnersOf(call);
		if (call.job.container !== null) this.#note(call.job.container.line, "what the container has cannot be known here");
		if (runners === null) this.#note(call.job.line, "the runner is known in a run only");
		for (const { line, text } of runners?.filter((each) => !isHosted(each)) ?? []) {
			const next = `use ${hostedRunner.labels[0]}`;
			if (/-arm$/.test(text)) this.#find(line, `${text} is an Arm machine`, "bpfgate measures on x86-64 only", next);
			else if (otherHostedLabel.test(text)) this.#find(line, `the runner is ${text}`, `bpfgate installs what it needs on ${hostedRunner.labels[0]}`, next);
			else this.#note(line, `what the runner \`${text}\` has cannot be known here: run \`bpfgate doctor\` on it`);
		}
	}
	/** @returns the step that checks the project out */
	#checkCheckout(call) {
		const checkout = checkoutOf(call);
		if (checkout === void 0) this.#find(call.uses.line, "no step before checks the repository out", "the project is not on the runner", "add a step with actions/checkout");
		return checkout;
	}
	/** Checks what the reusable workflow checks out. With a base it fetches the whole history. */
	#checkOwnCheckout(call) {
		const [depth, submodules] = ["fetch-depth", "submodules"].map((name) => valuesOf(call, name)?.[0]);
		if (depth?.text === "1" && !call.inputs.get("base")?.text) this.#findShallow(depth.line, "remove `fetch-depth`");
		if (submodules?.text === "false") this.#findSubmodules(submodules.line, "remove `submodules`");
	}
	#findShallow(line, next, isDefault = false) {
		const why = `\`fetch-depth\` is 1${isDefault ? " by default" : ""}, and the commit to compare with is another one`;
		this.#find(line, "the base is not in the checkout", why, next);
	}
	#findSubmodules(line, next) {
		if (this.#surroundings.submodules === null) return;
		this.#find(line, "the submodules of the project are not checked out", "the project has .gitmodules", next);
	}
	#checkHistory(call, checkout) {
		if (checkout === void 0) return;
		const line = checkout.uses?.line ?? checkout.line;
		const value = (name) => checkout.with.get(name);
		const depth = value("fetch-depth");
		const isKnown = depth === void 0 || /^\d+$/.test(depth.text);
		const commits = Number(depth?.text || "1");
		const at = depth?.line ?? line;
		const base = call.inputs.get("base");
		const ref = value("ref");
		if (isKnown && commits === 1) this.#findShallow(at, "set `fetch-depth: 2` for actions/checkout", depth === void 0);
		else if (isKnown && commits > 1 && base !== void 0 && base.text !== "") {
			const why = `\`base\` may be any number of commits back, and the checkout has ${commits}`;
			this.#find(at, "the base may not be in the checkout", why, "set `fetch-depth: 0` for actions/checkout");
		} else if (isKnown && commits > 1 && ref !== void 0 && /head/i.test(ref.text)) this.#find(ref.line, "the base may not be in the checkout", "the head of a pull request is compared with its merge-base, which may be any number of commits back", "remove `ref`, or set `fetch-depth: 0`");
		if ((value("submodules")?.text ?? "false") === "false") this.#findSubmodules(line, "set `submodules: recursive` for actions/checkout");
		const persists = value("persist-credentials");
		if (persists?.text !== "false") this.#find(persists?.line ?? line, "the checkout keeps the token", "the build runs the code of the pull request, which could read it", "set `persist-credentials: false` for actions/checkout");
		const path = value("path")?.text;
		const project = call.inputs.get("project")?.text ?? ".";
		if (path !== void 0 && !`${normalizeRelative(project)}/`.startsWith(`${normalizeRelative(path)}/`)) {
			const what = `the project is looked for in \`${project}\``;
			this.#find(call.uses.line, what, `the checkout is in \`${path}\``, `set \`project: ${path}\``);
		}
	}
	/** @returns the kernels that each job of the call measures on; null where only a run knows */
	#checkProject(call) {
		const projects = valuesOf(call, "project");
		const file = valuesOf(call, "config")?.[0]?.text ?? "bpfgate.toml";
		const selectors = valuesOf(call, "kernels");
		if (projects === null || selectors === null) return null;
		return projects.flatMap(({ text, line }) => {
			const path = folderInRepository(call, text);
			const project = this.#surroundings.projects.get(path);
			const config = this.#readConfig(project, {
				path,
				file,
				line: call.inputs.get("project")?.line ?? line
			});
			if (project === void 0 || config === void 0) return [];
			this.#checkNeeds(call, path, project, config);
			const lists = selectors.length === 0 ? [config.kernels] : selectors.map(({ text }) => [text]);
			const select = (list) => () => this.#surroundings.selectKernels(list);
			return lists.map((list) => this.#try(line, select(list), selectors.length === 0) ?? []);
		});
	}
	#readConfig(project, { path, file, line }) {
		const text = project?.files.get(file);
		if (text !== void 0) return this.#try(line, () => parseConfig(text, [path, file].filter((part) => part !== "").join("/")));
		const problem = project?.problems.get(file);
		if (problem === void 0) this.#find(line, `no ${file} in \`${path || "."}\``, "it says what to build and to measure", "set the input `project` to the folder that has it, or write one; README.md of bpfgate shows how");
		else {
			const what = `cannot read ${file} in \`${path || "."}\``;
			this.#find(line, what, problem, "make it a regular file of the repository");
		}
	}
	/** Finds what the project's build needs and the runner's image does not have. */
	#checkNeeds(call, path, { files }, config) {
		if (runnersOf(call)?.every(isHosted) !== true || call.job.container !== null) return;
		const isBuildFile = (file) => projectFiles.some((name) => name === file.split("/").at(-1));
		const buildFiles = [...files].flatMap(([file, text]) => isBuildFile(file) ? [text] : []);
		const texts = [
			config.build.command,
			...config.benches.map(({ command }) => command),
			...buildFiles
		].map(withoutComments);
		const asksFor = (word) => texts.some((text) => word.test(text));
		const given = valuesOf(call, "packages")?.map(({ text }) => text) ?? [];
		const installed = [...call.before.map(({ run }) => run ?? ""), ...given].join("\n");
		const submodules = this.#surroundings.submodules ?? "";
		const where = path === "" ? "the project" : `the project in \`${path}\``;
		const needs = absentFromImage.filter(({ word, vendored }) => asksFor(word) && vendored?.test(submodules) !== true);
		const versions = new Set(texts.flatMap((text) => [...text.matchAll(/\bclang-(\d+)\b/g)].map(([, major = ""]) => major)));
		for (const major of versions) {
			const name = `clang-${major}`;
			if (!hostedRunner.clang.some((known) => known === major)) needs.push({
				name,
				packages: [name]
			});
		}
		const missing = needs.filter(({ packages }) => !packages.some((each) => installed.includes(each)));
		for (const { packages } of missing) for (const each of packages) this.#packages.add(each);
		if (missing.length > 0) {
			const [are, them] = missing.length === 1 ? ["is", "it"] : ["are", "them"];
			const names = missing.map(({ name }) => name).join(", ");
			const already = given.length === 1 ? given.flatMap((text) => text.trim().split(/[\s,]+/)) : [];
			const packages = [...already, ...missing.flatMap(({ packages }) => packages)].join(" ");
			const next = `${already.length === 0 ? "add" : "change the"} input \`packages: ${packages}\``;
			this.#find(call.uses.line, `${names} ${are} missing on the runner`, `${where} is built with ${them}`, next);
		}
		const go = /^go (\d+\.\d+(?:\.\d+)?)/m.exec(files.get("go.mod") ?? "")?.[1];
		if (go !== void 0 && compareVersions(go, hostedRunner.newestGo) > 0) this.#note(call.uses.line, `Go ${go} is newer than any on the runner: Go fetches it in every run`);
	}
	#checkTime(call, kernels) {
		const toCompile = (kernels ?? []).map((pins) => pins.filter((pin) => pin.origin === "source" && pin.asset === void 0));
		const most = Math.max(0, ...toCompile.map((pins) => call.step === null ? Math.min(1, pins.length) : pins.length));
		const names = [...new Set(toCompile.flat().map(({ id }) => id))];
		if (names.length > 0) {
			const text = `kernels without a ready-made image are compiled the first time, about 5 minutes each on two cores: ${listNames(names)}`;
			this.#note(call.inputs.get("kernels")?.line ?? call.uses.line, text);
		}
		const limit = call.step === null ? valuesOf(call, "timeout-minutes")?.[0] : call.job.timeoutMinutes ?? void 0;
		const seconds = Number(valuesOf(call, "timeout")?.[0]?.text ?? kernelSeconds);
		if (Number.isNaN(seconds)) return;
		const kernelMinutes = Math.ceil(seconds / 60);
		const needed = kernelMinutes + most * 5;
		if (limit === void 0 || !/^\d+$/.test(limit.text) || Number(limit.text) >= needed) return;
		const why = `one kernel may take ${kernelMinutes} minutes${most === 0 ? "" : `, and ${most} of them ${most === 1 ? "has" : "have"} to be compiled`}`;
		const next = `set \`timeout-minutes: ${Math.max(60, needed)}\``;
		this.#find(limit.line, `the job ends after ${limit.text} minutes`, why, next);
	}
};
function outputsRead(texts, of, id) {
	const reads = /\b(needs|steps)\.([\w-]+)\.outputs\.([\w-]+)/g;
	return texts.flatMap(({ line, text }) => [...text.matchAll(reads)].flatMap(([, from, whose, name = ""]) => from === of && whose === id ? [{
		line,
		name
	}] : []));
}
/** Labels of the call's runner; null where only a run knows them. */
function runnersOf(call) {
	const { job } = call;
	if (call.step === null) return valuesOf(call, "runner");
	const resolved = job.runsOn.map((value) => resolve(value, job));
	return resolved.includes(null) ? null : resolved.flatMap((values) => values ?? []);
}
function isHosted({ text }) {
	return hostedRunner.labels.some((label) => label === text);
}
function withoutComments(text) {
	return text.replace(/^\s*(?:#|\/\/).*$/gm, "");
}
// src/workflow/named-folders.ts
/** Arguments of a recursive make, of `cd`, of CMake's `add_subdirectory` and of Meson's `subdir`. */
const patterns = [
	/(?:\bmake|\$[({]MAKE[)}])[^\n;&|]{0,300}?\s(?:-C|--directory)[\s=]*([^\s;&|"']+)/g,
	/\bcd\s+([^\s;&|"']+)\s*(?:&&|;)/g,
	/\badd_subdirectory\s*\(\s*([^\s)"]+)/g,
	/\bsubdir\s*\(\s*'([^']+)'/g
];
const ownFolder = /^(?:\$[({](?:CURDIR|PWD)[)}]|\$\$?PWD)\/?/;
/** Matches what stands for several names in turn: a shell loop's variable, or the target of a rule. */
const eachOf = /^\$(?:\$\{?\w+\}?|@)$/;
/**
* @param below names of the folders below the text's own. A loop over folders stands for those the text has as words
* @returns paths relative to the text's folder, without those that only the build tool can determine
*/
function namedFolders(text, below) {
	const named = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, folder = ""]) => folder));
	const words = new Set(text.split(/[\s:='"()]+/).map((word) => word.replace(/^\.\/|\/$/g, "")));
	const all = named.flatMap((folder) => eachOf.test(folder) ? below.filter((name) => words.has(name)) : [folder]);
	return [...new Set(all.map((folder) => folder.replace(ownFolder, "")))].filter((folder) => folder !== "" && !folder.includes("$"));
}
// node_modules/yaml/dist/nodes/identity.js
var require_identity = /* @__PURE__ */ __commonJSMin(((exports) => {
	const ALIAS = Symbol.for("yaml.alias");
	const DOC = Symbol.for("yaml.document");
	const MAP = Symbol.for("yaml.map");
	const PAIR = Symbol.for("yaml.pair");
	const SCALAR = Symbol.for("yaml.scalar");
	const SEQ = Symbol.for("yaml.seq");
	const NODE_TYPE = Symbol.for("yaml.node.type");
	const isAlias = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === ALIAS;
	const isDocument = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === DOC;
	const isMap = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === MAP;
	const isPair = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === PAIR;
	const isScalar = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SCALAR;
	const isSeq = (node) => !!node && typeof node === "object" && node[NODE_TYPE] === SEQ;
	function isCollection(node) {
		if (node && typeof node === "object") switch (node[NODE_TYPE]) {
			case MAP:
			case SEQ: return true;
		}
		return false;
	}
	function isNode(node) {
		if (node && typeof node === "object") switch (node[NODE_TYPE]) {
			case ALIAS:
			case MAP:
			case SCALAR:
			case SEQ: return true;
		}
		return false;
	}
	const hasAnchor = (node) => (isScalar(node) || isCollection(node)) && !!node.anchor;
	exports.ALIAS = ALIAS;
	exports.DOC = DOC;
	exports.MAP = MAP;
	exports.NODE_TYPE = NODE_TYPE;
	exports.PAIR = PAIR;
	exports.SCALAR = SCALAR;
	exports.SEQ = SEQ;
	exports.hasAnchor = hasAnchor;
	exports.isAlias = isAlias;
	exports.isCollection = isCollection;
	exports.isDocument = isDocument;
	exports.isMap = isMap;
	exports.isNode = isNode;
	exports.isPair = isPair;
	exports.isScalar = isScalar;
	exports.isSeq = isSeq;
}));
// node_modules/yaml/dist/visit.js
var require_visit = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	const BREAK = Symbol("break visit");
	const SKIP = Symbol("skip children");
	const REMOVE = Symbol("remove node");
	/**
	* Apply a visitor to an AST node or document.
	*
	* Walks through the tree (depth-first) starting from `node`, calling a
	* `visitor` function with three arguments:
	*   - `key`: For sequence values and map `Pair`, the node's index in the
	*     collection. Within a `Pair`, `'key'` or `'value'`, correspondingly.
	*     `null` for the root node.
	*   - `node`: The current node.
	*   - `path`: The ancestry of the current node.
	*
	* The return value of the visitor may be used to control the traversal:
	*   - `undefined` (default): Do nothing and continue
	*   - `visit.SKIP`: Do not visit the children of this node, continue with next
	*     sibling
	*   - `visit.BREAK`: Terminate traversal completely
	*   - `visit.REMOVE`: Remove the current node, then continue with the next one
	*   - `Node`: Replace the current node, then continue by visiting it
	*   - `number`: While iterating the items of a sequence or map, set the index
	*     of the next step. This is useful especially if the index of the current
	*     node has changed.
	*
	* If `visitor` is a single function, it will be called with all values
	* encountered in the tree, including e.g. `null` values. Alternatively,
	* separate visitor functions may be defined for each `Map`, `Pair`, `Seq`,
	* `Alias` and `Scalar` node. To define the same visitor function for more than
	* one node type, use the `Collection` (map and seq), `Value` (map, seq & scalar)
	* and `Node` (alias, map, seq & scalar) targets. Of all these, only the most
	* specific defined one will be used for each node.
	*/
	function visit(node, visitor) {
		const visitor_ = initVisitor(visitor);
		if (identity.isDocument(node)) {
			if (visit_(null, node.contents, visitor_, Object.freeze([node])) === REMOVE) node.contents = null;
		} else visit_(null, node, visitor_, Object.freeze([]));
	}
	/** Terminate visit traversal completely */
	visit.BREAK = BREAK;
	/** Do not visit the children of the current node */
	visit.SKIP = SKIP;
	/** Remove the current node */
	visit.REMOVE = REMOVE;
	function visit_(key, node, visitor, path) {
		const ctrl = callVisitor(key, node, visitor, path);
		if (identity.isNode(ctrl) || identity.isPair(ctrl)) {
			replaceNode(key, path, ctrl);
			return visit_(key, ctrl, visitor, path);
		}
		if (typeof ctrl !== "symbol") {
			if (identity.isCollection(node)) {
				path = Object.freeze(path.concat(node));
				for (let i = 0; i < node.items.length; ++i) {
					const ci = visit_(i, node.items[i], visitor, path);
					if (typeof ci === "number") i = ci - 1;
					else if (ci === BREAK) return BREAK;
					else if (ci === REMOVE) {
						node.items.splice(i, 1);
						i -= 1;
					}
				}
			} else if (identity.isPair(node)) {
				path = Object.freeze(path.concat(node));
				const ck = visit_("key", node.key, visitor, path);
				if (ck === BREAK) return BREAK;
				else if (ck === REMOVE) node.key = null;
				const cv = visit_("value", node.value, visitor, path);
				if (cv === BREAK) return BREAK;
				else if (cv === REMOVE) node.value = null;
			}
		}
		return ctrl;
	}
	/**
	* Apply an async visitor to an AST node or document.
	*
	* Walks through the tree (depth-first) starting from `node`, calling a
	* `visitor` function with three arguments:
	*   - `key`: For sequence values and map `Pair`, the node's index in the
	*     collection. Within a `Pair`, `'key'` or `'value'`, correspondingly.
	*     `null` for the root node.
	*   - `node`: The current node.
	*   - `path`: The ancestry of the current node.
	*
	* The return value of the visitor may be used to control the traversal:
	*   - `Promise`: Must resolve to one of the following values
	*   - `undefined` (default): Do nothing and continue
	*   - `visit.SKIP`: Do not visit the children of this node, continue with next
	*     sibling
	*   - `visit.BREAK`: Terminate traversal completely
	*   - `visit.REMOVE`: Remove the current node, then continue with the next one
	*   - `Node`: Replace the current node, then continue by visiting it
	*   - `number`: While iterating the items of a sequence or map, set the index
	*     of the next step. This is useful especially if the index of the current
	*     node has changed.
	*
	* If `visitor` is a single function, it will be called with all values
	* encountered in the tree, including e.g. `null` values. Alternatively,
	* separate visitor functions may be defined for each `Map`, `Pair`, `Seq`,
	* `Alias` and `Scalar` node. To define the same visitor function for more than
	* one node type, use the `Collection` (map and seq), `Value` (map, seq & scalar)
	* and `Node` (alias, map, seq & scalar) targets. Of all these, only the most
	* specific defined one will be used for each node.
	*/
	async function visitAsync(node, visitor) {
		const visitor_ = initVisitor(visitor);
		if (identity.isDocument(node)) {
			if (await visitAsync_(null, node.contents, visitor_, Object.freeze([node])) === REMOVE) node.contents = null;
		} else await visitAsync_(null, node, visitor_, Object.freeze([]));
	}
	/** Terminate visit traversal completely */
	visitAsync.BREAK = BREAK;
	/** Do not visit the children of the current node */
	visitAsync.SKIP = SKIP;
	/** Remove the current node */
	visitAsync.REMOVE = REMOVE;
	async function visitAsync_(key, node, visitor, path) {
		const ctrl = await callVisitor(key, node, visitor, path);
		if (identity.isNode(ctrl) || identity.isPair(ctrl)) {
			replaceNode(key, path, ctrl);
			return visitAsync_(key, ctrl, visitor, path);
		}
		if (typeof ctrl !== "symbol") {
			if (identity.isCollection(node)) {
				path = Object.freeze(path.concat(node));
				for (let i = 0; i < node.items.length; ++i) {
					const ci = await visitAsync_(i, node.items[i], visitor, path);
					if (typeof ci === "number") i = ci - 1;
					else if (ci === BREAK) return BREAK;
					else if (ci === REMOVE) {
						node.items.splice(i, 1);
						i -= 1;
					}
				}
			} else if (identity.isPair(node)) {
				path = Object.freeze(path.concat(node));
				const ck = await visitAsync_("key", node.key, visitor, path);
				if (ck === BREAK) return BREAK;
				else if (ck === REMOVE) node.key = null;
				const cv = await visitAsync_("value", node.value, visitor, path);
				if (cv === BREAK) return BREAK;
				else if (cv === REMOVE) node.value = null;
			}
		}
		return ctrl;
	}
	function initVisitor(visitor) {
		if (typeof visitor === "object" && (visitor.Collection || visitor.Node || visitor.Value)) return Object.assign({
			Alias: visitor.Node,
			Map: visitor.Node,
			Scalar: visitor.Node,
			Seq: visitor.Node
		}, visitor.Value && {
			Map: visitor.Value,
			Scalar: visitor.Value,
			Seq: visitor.Value
		}, visitor.Collection && {
			Map: visitor.Collection,
			Seq: visitor.Collection
		}, visitor);
		return visitor;
	}
	function callVisitor(key, node, visitor, path) {
		if (typeof visitor === "function") return visitor(key, node, path);
		if (identity.isMap(node)) return visitor.Map?.(key, node, path);
		if (identity.isSeq(node)) return visitor.Seq?.(key, node, path);
		if (identity.isPair(node)) return visitor.Pair?.(key, node, path);
		if (identity.isScalar(node)) return visitor.Scalar?.(key, node, path);
		if (identity.isAlias(node)) return visitor.Alias?.(key, node, path);
	}
	function replaceNode(key, path, node) {
		const parent = path[path.length - 1];
		if (identity.isCollection(parent)) parent.items[key] = node;
		else if (identity.isPair(parent)) {
			if (key === "key") parent.key = node;
			else parent.value = node;
		} else if (identity.isDocument(parent)) parent.contents = node;
		else {
			const pt = identity.isAlias(parent) ? "alias" : "scalar";
			throw new Error(`Cannot replace node with ${pt} parent`);
		}
	}
	exports.visit = visit;
	exports.visitAsync = visitAsync;
}));
// node_modules/yaml/dist/doc/directives.js
var require_directives = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var visit = require_visit();
	const escapeChars = {
		"!": "%21",
		",": "%2C",
		"[": "%5B",
		"]": "%5D",
		"{": "%7B",
		"}": "%7D"
	};
	const escapeTagName = (tn) => tn.replace(/[!,[\]{}]/g, (ch) => escapeChars[ch]);
	var Directives = class Directives {
		constructor(yaml, tags) {
			/**
			* The directives-end/doc-start marker `---`. If `null`, a marker may still be
			* included in the document's stringified representation.
			*/
			this.docStart = null;
			/** The doc-end marker `...`.  */
			this.docEnd = false;
			this.yaml = Object.assign({}, Directives.defaultYaml, yaml);
			this.tags = Object.assign({}, Directives.defaultTags, tags);
		}
		clone() {
			const copy = new Directives(this.yaml, this.tags);
			copy.docStart = this.docStart;
			return copy;
		}
		/**
		* During parsing, get a Directives instance for the current document and
		* update the stream state according to the current version's spec.
		*/
		atDocument() {
			const res = new Directives(this.yaml, this.tags);
			switch (this.yaml.version) {
				case "1.1":
					this.atNextDocument = true;
					break;
				case "1.2":
					this.atNextDocument = false;
					this.yaml = {
						explicit: Directives.defaultYaml.explicit,
						version: "1.2"
					};
					this.tags = Object.assign({}, Directives.defaultTags);
			}
			return res;
		}
		/**
		* @param onError - May be called even if the action was successful
		* @returns `true` on success
		*/
		add(line, onError) {
			if (this.atNextDocument) {
				this.yaml = {
					explicit: Directives.defaultYaml.explicit,
					version: "1.1"
				};
				this.tags = Object.assign({}, Directives.defaultTags);
				this.atNextDocument = false;
			}
			const parts = line.trim().split(/[ \t]+/);
			const name = parts.shift();
			switch (name) {
				case "%TAG": {
					if (parts.length !== 2) {
						onError(0, "%TAG directive should contain exactly two parts");
						if (parts.length < 2) return false;
					}
					const [handle, prefix] = parts;
					this.tags[handle] = prefix;
					return true;
				}
				case "%YAML": {
					this.yaml.explicit = true;
					if (parts.length !== 1) {
						onError(0, "%YAML directive should contain exactly one part");
						return false;
					}
					const [version] = parts;
					if (version === "1.1" || version === "1.2") {
						this.yaml.version = version;
						return true;
					} else {
						const isValid = /^\d+\.\d+$/.test(version);
						onError(6, `Unsupported YAML version ${version}`, isValid);
						return false;
					}
				}
				default:
					onError(0, `Unknown directive ${name}`, true);
					return false;
			}
		}
		/**
		* Resolves a tag, matching handles to those defined in %TAG directives.
		*
		* @returns Resolved tag, which may also be the non-specific tag `'!'` or a
		*   `'!local'` tag, or `null` if unresolvable.
		*/
		tagName(source, onError) {
			if (source === "!") return "!";
			if (source[0] !== "!") {
				onError(`Not a valid tag: ${source}`);
				return null;
			}
			if (source[1] === "<") {
				const verbatim = source.slice(2, -1);
				if (verbatim === "!" || verbatim === "!!") {
					onError(`Verbatim tags aren't resolved, so ${source} is invalid.`);
					return null;
				}
				if (source[source.length - 1] !== ">") onError("Verbatim tags must end with a >");
				return verbatim;
			}
			const [, handle, suffix] = source.match(/^(.*!)([^!]*)$/s);
			if (!suffix) onError(`The ${source} tag has no suffix`);
			const prefix = this.tags[handle];
			if (prefix) try {
				return prefix + decodeURIComponent(suffix);
			} catch (error) {
				onError(String(error));
				return null;
			}
			if (handle === "!") return source;
			onError(`Could not resolve tag: ${source}`);
			return null;
		}
		/**
		* Given a fully resolved tag, returns its printable string form,
		* taking into account current tag prefixes and defaults.
		*/
		tagString(tag) {
			for (const [handle, prefix] of Object.entries(this.tags)) if (tag.startsWith(prefix)) return handle + escapeTagName(tag.substring(prefix.length));
			return tag[0] === "!" ? tag : `!<${tag}>`;
		}
		toString(doc) {
			const lines = this.yaml.explicit ? [`%YAML ${this.yaml.version || "1.2"}`] : [];
			const tagEntries = Object.entries(this.tags);
			let tagNames;
			if (doc && tagEntries.length > 0 && identity.isNode(doc.contents)) {
				const tags = {};
				visit.visit(doc.contents, (_key, node) => {
					if (identity.isNode(node) && node.tag) tags[node.tag] = true;
				});
				tagNames = Object.keys(tags);
			} else tagNames = [];
			for (const [handle, prefix] of tagEntries) {
				if (handle === "!!" && prefix === "tag:yaml.org,2002:") continue;
				if (!doc || tagNames.some((tn) => tn.startsWith(prefix))) lines.push(`%TAG ${handle} ${prefix}`);
			}
			return lines.join("\n");
		}
	};
	Directives.defaultYaml = {
		explicit: false,
		version: "1.2"
	};
	Directives.defaultTags = { "!!": "tag:yaml.org,2002:" };
	exports.Directives = Directives;
}));
// node_modules/yaml/dist/doc/anchors.js
var require_anchors = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var visit = require_visit();
	/**
	* Verify that the input string is a valid anchor.
	*
	* Will throw on errors.
	*/
	function anchorIsValid(anchor) {
		if (/[\x00-\x19\s,[\]{}]/.test(anchor)) {
			const msg = `Anchor must not contain whitespace or control characters: ${JSON.stringify(anchor)}`;
			throw new Error(msg);
		}
		return true;
	}
	function anchorNames(root) {
		const anchors = /* @__PURE__ */ new Set();
		visit.visit(root, { Value(_key, node) {
			if (node.anchor) anchors.add(node.anchor);
		} });
		return anchors;
	}
	/** Find a new anchor name with the given `prefix` and a one-indexed suffix. */
	function findNewAnchor(prefix, exclude) {
		for (let i = 1;; ++i) {
			const name = `${prefix}${i}`;
			if (!exclude.has(name)) return name;
		}
	}
	function createNodeAnchors(doc, prefix) {
		const aliasObjects = [];
		const sourceObjects = /* @__PURE__ */ new Map();
		let prevAnchors = null;
		return {
			onAnchor: (source) => {
				aliasObjects.push(source);
				prevAnchors ?? (prevAnchors = anchorNames(doc));
				const anchor = findNewAnchor(prefix, prevAnchors);
				prevAnchors.add(anchor);
				return anchor;
			},
			/**
			* With circular references, the source node is only resolved after all
			* of its child nodes are. This is why anchors are set only after all of
			* the nodes have been created.
			*/
			setAnchors: () => {
				for (const source of aliasObjects) {
					const ref = sourceObjects.get(source);
					if (typeof ref === "object" && ref.anchor && (identity.isScalar(ref.node) || identity.isCollection(ref.node))) ref.node.anchor = ref.anchor;
					else {
						const error = /* @__PURE__ */ new Error("Failed to resolve repeated object (this should not happen)");
						error.source = source;
						throw error;
					}
				}
			},
			sourceObjects
		};
	}
	exports.anchorIsValid = anchorIsValid;
	exports.anchorNames = anchorNames;
	exports.createNodeAnchors = createNodeAnchors;
	exports.findNewAnchor = findNewAnchor;
}));
// node_modules/yaml/dist/doc/applyReviver.js
var require_applyReviver = /* @__PURE__ */ __commonJSMin(((exports) => {
	/**
	* Applies the JSON.parse reviver algorithm as defined in the ECMA-262 spec,
	* in section 24.5.1.1 "Runtime Semantics: InternalizeJSONProperty" of the
	* 2021 edition: https://tc39.es/ecma262/#sec-json.parse
	*
	* Includes extensions for handling Map and Set objects.
	*/
	function applyReviver(reviver, obj, key, val) {
		if (val && typeof val === "object") {
			if (Array.isArray(val)) for (let i = 0, len = val.length; i < len; ++i) {
				const v0 = val[i];
				const v1 = applyReviver(reviver, val, String(i), v0);
				if (v1 === void 0) delete val[i];
				else if (v1 !== v0) val[i] = v1;
			}
			else if (val instanceof Map) for (const k of Array.from(val.keys())) {
				const v0 = val.get(k);
				const v1 = applyReviver(reviver, val, k, v0);
				if (v1 === void 0) val.delete(k);
				else if (v1 !== v0) val.set(k, v1);
			}
			else if (val instanceof Set) for (const v0 of Array.from(val)) {
				const v1 = applyReviver(reviver, val, v0, v0);
				if (v1 === void 0) val.delete(v0);
				else if (v1 !== v0) {
					val.delete(v0);
					val.add(v1);
				}
			}
			else for (const [k, v0] of Object.entries(val)) {
				const v1 = applyReviver(reviver, val, k, v0);
				if (v1 === void 0) delete val[k];
				else if (v1 !== v0) val[k] = v1;
			}
		}
		return reviver.call(obj, key, val);
	}
	exports.applyReviver = applyReviver;
}));
// node_modules/yaml/dist/nodes/toJS.js
var require_toJS = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	/**
	* Recursively convert any node or its contents to native JavaScript
	*
	* @param value - The input value
	* @param arg - If `value` defines a `toJSON()` method, use this
	*   as its first argument
	* @param ctx - Conversion context, originally set in Document#toJS(). If
	*   `{ keep: true }` is not set, output should be suitable for JSON
	*   stringification.
	*/
	function toJS(value, arg, ctx) {
		if (Array.isArray(value)) return value.map((v, i) => toJS(v, String(i), ctx));
		if (value && typeof value.toJSON === "function") {
			if (!ctx || !identity.hasAnchor(value)) return value.toJSON(arg, ctx);
			const data = {
				aliasCount: 0,
				count: 1,
				res: void 0
			};
			ctx.anchors.set(value, data);
			ctx.onCreate = (res) => {
				data.res = res;
				delete ctx.onCreate;
			};
			const res = value.toJSON(arg, ctx);
			if (ctx.onCreate) ctx.onCreate(res);
			return res;
		}
		if (typeof value === "bigint" && !ctx?.keep) return Number(value);
		return value;
	}
	exports.toJS = toJS;
}));
// node_modules/yaml/dist/nodes/Node.js
var require_Node = /* @__PURE__ */ __commonJSMin(((exports) => {
	var applyReviver = require_applyReviver();
	var identity = require_identity();
	var toJS = require_toJS();
	var NodeBase = class {
		constructor(type) {
			Object.defineProperty(this, identity.NODE_TYPE, { value: type });
		}
		/** Create a copy of this node.  */
		clone() {
			const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
			if (this.range) copy.range = this.range.slice();
			return copy;
		}
		/** A plain JavaScript representation of this node. */
		toJS(doc, { mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
			if (!identity.isDocument(doc)) throw new TypeError("A document argument is required");
			const ctx = {
				anchors: /* @__PURE__ */ new Map(),
				doc,
				keep: true,
				mapAsMap: mapAsMap === true,
				mapKeyWarned: false,
				maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
			};
			const res = toJS.toJS(this, "", ctx);
			if (typeof onAnchor === "function") for (const { count, res } of ctx.anchors.values()) onAnchor(res, count);
			return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
		}
	};
	exports.NodeBase = NodeBase;
}));
// node_modules/yaml/dist/nodes/Alias.js
var require_Alias = /* @__PURE__ */ __commonJSMin(((exports) => {
	var anchors = require_anchors();
	var visit = require_visit();
	var identity = require_identity();
	var Node = require_Node();
	var toJS = require_toJS();
	var Alias = class extends Node.NodeBase {
		constructor(source) {
			super(identity.ALIAS);
			this.source = source;
			Object.defineProperty(this, "tag", { set() {
				throw new Error("Alias nodes cannot have tags");
			} });
		}
		/**
		* Resolve the value of this alias within `doc`, finding the last
		* instance of the `source` anchor before this node.
		*/
		resolve(doc, ctx) {
			if (ctx?.maxAliasCount === 0) throw new ReferenceError("Alias resolution is disabled");
			let nodes;
			if (ctx?.aliasResolveCache) nodes = ctx.aliasResolveCache;
			else {
				nodes = [];
				visit.visit(doc, { Node: (_key, node) => {
					if (identity.isAlias(node) || identity.hasAnchor(node)) nodes.push(node);
				} });
				if (ctx) ctx.aliasResolveCache = nodes;
			}
			let found = void 0;
			for (const node of nodes) {
				if (node === this) break;
				if (node.anchor === this.source) found = node;
			}
			if (found && ctx) {
				const { anchors, doc, maxAliasCount } = ctx;
				let data = anchors.get(found);
				if (!data) {
					toJS.toJS(found, null, ctx);
					data = anchors.get(found);
				}
				/* istanbul ignore if */
				if (data?.res === void 0) throw new ReferenceError("This should not happen: Alias anchor was not resolved?");
				if (maxAliasCount >= 0) {
					data.count += 1;
					if (data.aliasCount === 0) data.aliasCount = getAliasCount(doc, found, anchors);
					if (data.count * data.aliasCount > maxAliasCount) throw new ReferenceError("Excessive alias count indicates a resource exhaustion attack");
				}
			}
			return found;
		}
		toJSON(_arg, ctx) {
			if (!ctx) return { source: this.source };
			const source = this.resolve(ctx.doc, ctx);
			if (!source) {
				const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
				throw new ReferenceError(msg);
			}
			return ctx.anchors.get(source).res;
		}
		toString(ctx, _onComment, _onChompKeep) {
			const src = `*${this.source}`;
			if (ctx) {
				anchors.anchorIsValid(this.source);
				if (ctx.options.verifyAliasOrder && !ctx.anchors.has(this.source)) {
					const msg = `Unresolved alias (the anchor must be set before the alias): ${this.source}`;
					throw new Error(msg);
				}
				if (ctx.implicitKey) return `${src} `;
			}
			return src;
		}
	};
	function getAliasCount(doc, node, anchors) {
		if (identity.isAlias(node)) {
			const source = node.resolve(doc);
			const anchor = anchors && source && anchors.get(source);
			return anchor ? anchor.count * anchor.aliasCount : 0;
		} else if (identity.isCollection(node)) {
			let count = 0;
			for (const item of node.items) {
				const c = getAliasCount(doc, item, anchors);
				if (c > count) count = c;
			}
			return count;
		} else if (identity.isPair(node)) {
			const kc = getAliasCount(doc, node.key, anchors);
			const vc = getAliasCount(doc, node.value, anchors);
			return Math.max(kc, vc);
		}
		return 1;
	}
	exports.Alias = Alias;
}));
// node_modules/yaml/dist/nodes/Scalar.js
var require_Scalar = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Node = require_Node();
	var toJS = require_toJS();
	const isScalarValue = (value) => !value || typeof value !== "function" && typeof value !== "object";
	var Scalar = class extends Node.NodeBase {
		constructor(value) {
			super(identity.SCALAR);
			this.value = value;
		}
		toJSON(arg, ctx) {
			return ctx?.keep ? this.value : toJS.toJS(this.value, arg, ctx);
		}
		toString() {
			return String(this.value);
		}
	};
	Scalar.BLOCK_FOLDED = "BLOCK_FOLDED";
	Scalar.BLOCK_LITERAL = "BLOCK_LITERAL";
	Scalar.PLAIN = "PLAIN";
	Scalar.QUOTE_DOUBLE = "QUOTE_DOUBLE";
	Scalar.QUOTE_SINGLE = "QUOTE_SINGLE";
	exports.Scalar = Scalar;
	exports.isScalarValue = isScalarValue;
}));
// node_modules/yaml/dist/doc/createNode.js
var require_createNode = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Alias = require_Alias();
	var identity = require_identity();
	var Scalar = require_Scalar();
	const defaultTagPrefix = "tag:yaml.org,2002:";
	function findTagObject(value, tagName, tags) {
		if (tagName) {
			const match = tags.filter((t) => t.tag === tagName);
			const tagObj = match.find((t) => !t.format) ?? match[0];
			if (!tagObj) throw new Error(`Tag ${tagName} not found`);
			return tagObj;
		}
		return tags.find((t) => t.identify?.(value) && !t.format);
	}
	function createNode(value, tagName, ctx) {
		if (identity.isDocument(value)) value = value.contents;
		if (identity.isNode(value)) return value;
		if (identity.isPair(value)) {
			const map = ctx.schema[identity.MAP].createNode?.(ctx.schema, null, ctx);
			map.items.push(value);
			return map;
		}
		if (value instanceof String || value instanceof Number || value instanceof Boolean || typeof BigInt !== "undefined" && value instanceof BigInt) value = value.valueOf();
		const { aliasDuplicateObjects, onAnchor, onTagObj, schema, sourceObjects } = ctx;
		let ref = void 0;
		if (aliasDuplicateObjects && value && typeof value === "object") {
			ref = sourceObjects.get(value);
			if (ref) {
				ref.anchor ?? (ref.anchor = onAnchor(value));
				return new Alias.Alias(ref.anchor);
			} else {
				ref = {
					anchor: null,
					node: null
				};
				sourceObjects.set(value, ref);
			}
		}
		if (tagName?.startsWith("!!")) tagName = defaultTagPrefix + tagName.slice(2);
		let tagObj = findTagObject(value, tagName, schema.tags);
		if (!tagObj) {
			if (value && typeof value.toJSON === "function") value = value.toJSON();
			if (!value || typeof value !== "object") {
				const node = new Scalar.Scalar(value);
				if (ref) ref.node = node;
				return node;
			}
			tagObj = value instanceof Map ? schema[identity.MAP] : Symbol.iterator in Object(value) ? schema[identity.SEQ] : schema[identity.MAP];
		}
		if (onTagObj) {
			onTagObj(tagObj);
			delete ctx.onTagObj;
		}
		const node = tagObj?.createNode ? tagObj.createNode(ctx.schema, value, ctx) : typeof tagObj?.nodeClass?.from === "function" ? tagObj.nodeClass.from(ctx.schema, value, ctx) : new Scalar.Scalar(value);
		if (tagName) node.tag = tagName;
		else if (!tagObj.default) node.tag = tagObj.tag;
		if (ref) ref.node = node;
		return node;
	}
	exports.createNode = createNode;
}));
// node_modules/yaml/dist/nodes/Collection.js
var require_Collection = /* @__PURE__ */ __commonJSMin(((exports) => {
	var createNode = require_createNode();
	var identity = require_identity();
	var Node = require_Node();
	function collectionFromPath(schema, path, value) {
		let v = value;
		for (let i = path.length - 1; i >= 0; --i) {
			const k = path[i];
			if (typeof k === "number" && Number.isInteger(k) && k >= 0) {
				const a = [];
				a[k] = v;
				v = a;
			} else v = /* @__PURE__ */ new Map([[k, v]]);
		}
		return createNode.createNode(v, void 0, {
			aliasDuplicateObjects: false,
			keepUndefined: false,
			onAnchor: () => {
				throw new Error("This should not happen, please report a bug.");
			},
			schema,
			sourceObjects: /* @__PURE__ */ new Map()
		});
	}
	const isEmptyPath = (path) => path == null || typeof path === "object" && !!path[Symbol.iterator]().next().done;
	var Collection = class extends Node.NodeBase {
		constructor(type, schema) {
			super(type);
			Object.defineProperty(this, "schema", {
				value: schema,
				configurable: true,
				enumerable: false,
				writable: true
			});
		}
		/**
		* Create a copy of this collection.
		*
		* @param schema - If defined, overwrites the original's schema
		*/
		clone(schema) {
			const copy = Object.create(Object.getPrototypeOf(this), Object.getOwnPropertyDescriptors(this));
			if (schema) copy.schema = schema;
			copy.items = copy.items.map((it) => identity.isNode(it) || identity.isPair(it) ? it.clone(schema) : it);
			if (this.range) copy.range = this.range.slice();
			return copy;
		}
		/**
		* Adds a value to the collection. For `!!map` and `!!omap` the value must
		* be a Pair instance or a `{ key, value }` object, which may not have a key
		* that already exists in the map.
		*/
		addIn(path, value) {
			if (isEmptyPath(path)) this.add(value);
			else {
				const [key, ...rest] = path;
				const node = this.get(key, true);
				if (identity.isCollection(node)) node.addIn(rest, value);
				else if (node === void 0 && this.schema) this.set(key, collectionFromPath(this.schema, rest, value));
				else throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
			}
		}
		/**
		* Removes a value from the collection.
		* @returns `true` if the item was found and removed.
		*/
		deleteIn(path) {
			const [key, ...rest] = path;
			if (rest.length === 0) return this.delete(key);
			const node = this.get(key, true);
			if (identity.isCollection(node)) return node.deleteIn(rest);
			else throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
		}
		/**
		* Returns item at `key`, or `undefined` if not found. By default unwraps
		* scalar values from their surrounding node; to disable set `keepScalar` to
		* `true` (collections are always returned intact).
		*/
		getIn(path, keepScalar) {
			const [key, ...rest] = path;
			const node = this.get(key, true);
			if (rest.length === 0) return !keepScalar && identity.isScalar(node) ? node.value : node;
			else return identity.isCollection(node) ? node.getIn(rest, keepScalar) : void 0;
		}
		hasAllNullValues(allowScalar) {
			return this.items.every((node) => {
				if (!identity.isPair(node)) return false;
				const n = node.value;
				return n == null || allowScalar && identity.isScalar(n) && n.value == null && !n.commentBefore && !n.comment && !n.tag;
			});
		}
		/**
		* Checks if the collection includes a value with the key `key`.
		*/
		hasIn(path) {
			const [key, ...rest] = path;
			if (rest.length === 0) return this.has(key);
			const node = this.get(key, true);
			return identity.isCollection(node) ? node.hasIn(rest) : false;
		}
		/**
		* Sets a value in this collection. For `!!set`, `value` needs to be a
		* boolean to add/remove the item from the set.
		*/
		setIn(path, value) {
			const [key, ...rest] = path;
			if (rest.length === 0) this.set(key, value);
			else {
				const node = this.get(key, true);
				if (identity.isCollection(node)) node.setIn(rest, value);
				else if (node === void 0 && this.schema) this.set(key, collectionFromPath(this.schema, rest, value));
				else throw new Error(`Expected YAML collection at ${key}. Remaining path: ${rest}`);
			}
		}
	};
	exports.Collection = Collection;
	exports.collectionFromPath = collectionFromPath;
	exports.isEmptyPath = isEmptyPath;
}));
// node_modules/yaml/dist/stringify/stringifyComment.js
var require_stringifyComment = /* @__PURE__ */ __commonJSMin(((exports) => {
	/**
	* Stringifies a comment.
	*
	* Empty comment lines are left empty,
	* lines consisting of a single space are replaced by `#`,
	* and all other lines are prefixed with a `#`.
	*/
	const stringifyComment = (str) => str.replace(/^(?!$)(?: $)?/gm, "#");
	function indentComment(comment, indent) {
		if (/^\n+$/.test(comment)) return comment.substring(1);
		return indent ? comment.replace(/^(?! *$)/gm, indent) : comment;
	}
	const lineComment = (str, indent, comment) => str.endsWith("\n") ? indentComment(comment, indent) : comment.includes("\n") ? "\n" + indentComment(comment, indent) : (str.endsWith(" ") ? "" : " ") + comment;
	exports.indentComment = indentComment;
	exports.lineComment = lineComment;
	exports.stringifyComment = stringifyComment;
}));
// node_modules/yaml/dist/stringify/foldFlowLines.js
var require_foldFlowLines = /* @__PURE__ */ __commonJSMin(((exports) => {
	const FOLD_FLOW = "flow";
	const FOLD_BLOCK = "block";
	const FOLD_QUOTED = "quoted";
	/**
	* Tries to keep input at up to `lineWidth` characters, splitting only on spaces
	* not followed by newlines or spaces unless `mode` is `'quoted'`. Lines are
	* terminated with `\n` and started with `indent`.
	*/
	function foldFlowLines(text, indent, mode = "flow", { indentAtStart, lineWidth = 80, minContentWidth = 20, onFold, onOverflow } = {}) {
		if (!lineWidth || lineWidth < 0) return text;
		if (lineWidth < minContentWidth) minContentWidth = 0;
		const endStep = Math.max(1 + minContentWidth, 1 + lineWidth - indent.length);
		if (text.length <= endStep) return text;
		const folds = [];
		const escapedFolds = {};
		let end = lineWidth - indent.length;
		if (typeof indentAtStart === "number") {
			if (indentAtStart > lineWidth - Math.max(2, minContentWidth)) folds.push(0);
			else end = lineWidth - indentAtStart;
		}
		let split = void 0;
		let prev = void 0;
		let overflow = false;
		let i = -1;
		let escStart = -1;
		let escEnd = -1;
		if (mode === FOLD_BLOCK) {
			i = consumeMoreIndentedLines(text, i, indent.length);
			if (i !== -1) end = i + endStep;
		}
		for (let ch; ch = text[i += 1];) {
			if (mode === FOLD_QUOTED && ch === "\\") {
				escStart = i;
				switch (text[i + 1]) {
					case "x":
						i += 3;
						break;
					case "u":
						i += 5;
						break;
					case "U":
						i += 9;
						break;
					default: i += 1;
				}
				escEnd = i;
			}
			if (ch === "\n") {
				if (mode === FOLD_BLOCK) i = consumeMoreIndentedLines(text, i, indent.length);
				end = i + indent.length + endStep;
				split = void 0;
			} else {
				if (ch === " " && prev && prev !== " " && prev !== "\n" && prev !== "	") {
					const next = text[i + 1];
					if (next && next !== " " && next !== "\n" && next !== "	") split = i;
				}
				if (i >= end) {
					if (split) {
						folds.push(split);
						end = split + endStep;
						split = void 0;
					} else if (mode === FOLD_QUOTED) {
						while (prev === " " || prev === "	") {
							prev = ch;
							ch = text[i += 1];
							overflow = true;
						}
						const j = i > escEnd + 1 ? i - 2 : escStart - 1;
						if (escapedFolds[j]) return text;
						folds.push(j);
						escapedFolds[j] = true;
						end = j + endStep;
						split = void 0;
					} else overflow = true;
				}
			}
			prev = ch;
		}
		if (overflow && onOverflow) onOverflow();
		if (folds.length === 0) return text;
		if (onFold) onFold();
		let res = text.slice(0, folds[0]);
		for (let i = 0; i < folds.length; ++i) {
			const fold = folds[i];
			const end = folds[i + 1] || text.length;
			if (fold === 0) res = `\n${indent}${text.slice(0, end)}`;
			else {
				if (mode === FOLD_QUOTED && escapedFolds[fold]) res += `${text[fold]}\\`;
				res += `\n${indent}${text.slice(fold + 1, end)}`;
			}
		}
		return res;
	}
	/**
	* Presumes `i + 1` is at the start of a line
	* @returns index of last newline in more-indented block
	*/
	function consumeMoreIndentedLines(text, i, indent) {
		let end = i;
		let start = i + 1;
		let ch = text[start];
		while (ch === " " || ch === "	") if (i < start + indent) ch = text[++i];
		else {
			do
				ch = text[++i];
			while (ch && ch !== "\n");
			end = i;
			start = i + 1;
			ch = text[start];
		}
		return end;
	}
	exports.FOLD_BLOCK = FOLD_BLOCK;
	exports.FOLD_FLOW = FOLD_FLOW;
	exports.FOLD_QUOTED = FOLD_QUOTED;
	exports.foldFlowLines = foldFlowLines;
}));
// node_modules/yaml/dist/stringify/stringifyString.js
var require_stringifyString = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	var foldFlowLines = require_foldFlowLines();
	const getFoldOptions = (ctx, isBlock) => ({
		indentAtStart: isBlock ? ctx.indent.length : ctx.indentAtStart,
		lineWidth: ctx.options.lineWidth,
		minContentWidth: ctx.options.minContentWidth
	});
	const containsDocumentMarker = (str) => /^(%|---|\.\.\.)/m.test(str);
	function lineLengthOverLimit(str, lineWidth, indentLength) {
		if (!lineWidth || lineWidth < 0) return false;
		const limit = lineWidth - indentLength;
		const strLen = str.length;
		if (strLen <= limit) return false;
		for (let i = 0, start = 0; i < strLen; ++i) if (str[i] === "\n") {
			if (i - start > limit) return true;
			start = i + 1;
			if (strLen - start <= limit) return false;
		}
		return true;
	}
	function doubleQuotedString(value, ctx) {
		const json = JSON.stringify(value);
		if (ctx.options.doubleQuotedAsJSON) return json;
		const { implicitKey } = ctx;
		const minMultiLineLength = ctx.options.doubleQuotedMinMultiLineLength;
		const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
		let str = "";
		let start = 0;
		for (let i = 0, ch = json[i]; ch; ch = json[++i]) {
			if (ch === " " && json[i + 1] === "\\" && json[i + 2] === "n") {
				str += json.slice(start, i) + "\\ ";
				i += 1;
				start = i;
				ch = "\\";
			}
			if (ch === "\\") switch (json[i + 1]) {
				case "u":
					{
						str += json.slice(start, i);
						const code = json.substr(i + 2, 4);
						switch (code) {
							case "0000":
								str += "\\0";
								break;
							case "0007":
								str += "\\a";
								break;
							case "000b":
								str += "\\v";
								break;
							case "001b":
								str += "\\e";
								break;
							case "0085":
								str += "\\N";
								break;
							case "00a0":
								str += "\\_";
								break;
							case "2028":
								str += "\\L";
								break;
							case "2029":
								str += "\\P";
								break;
							default: if (code.substr(0, 2) === "00") str += "\\x" + code.substr(2);
							else str += json.substr(i, 6);
						}
						i += 5;
						start = i + 1;
					}
					break;
				case "n":
					if (implicitKey || json[i + 2] === "\"" || json.length < minMultiLineLength) i += 1;
					else {
						str += json.slice(start, i) + "\n\n";
						while (json[i + 2] === "\\" && json[i + 3] === "n" && json[i + 4] !== "\"") {
							str += "\n";
							i += 2;
						}
						str += indent;
						if (json[i + 2] === " ") str += "\\";
						i += 1;
						start = i + 1;
					}
					break;
				default: i += 1;
			}
		}
		str = start ? str + json.slice(start) : json;
		return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_QUOTED, getFoldOptions(ctx, false));
	}
	function singleQuotedString(value, ctx) {
		if (ctx.options.singleQuote === false || ctx.implicitKey && value.includes("\n") || /[ \t]\n|\n[ \t]/.test(value)) return doubleQuotedString(value, ctx);
		const indent = ctx.indent || (containsDocumentMarker(value) ? "  " : "");
		const res = "'" + value.replace(/'/g, "''").replace(/\n+/g, `$&\n${indent}`) + "'";
		return ctx.implicitKey ? res : foldFlowLines.foldFlowLines(res, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
	}
	function quotedString(value, ctx) {
		const { singleQuote } = ctx.options;
		let qs;
		if (singleQuote === false) qs = doubleQuotedString;
		else {
			const hasDouble = value.includes("\"");
			const hasSingle = value.includes("'");
			if (hasDouble && !hasSingle) qs = singleQuotedString;
			else if (hasSingle && !hasDouble) qs = doubleQuotedString;
			else qs = singleQuote ? singleQuotedString : doubleQuotedString;
		}
		return qs(value, ctx);
	}
	let blockEndNewlines;
	try {
		blockEndNewlines = new RegExp("(^|(?<!\n))\n+(?!\n|$)", "g");
	} catch {
		blockEndNewlines = /\n+(?!\n|$)/g;
	}
	function blockString({ comment, type, value }, ctx, onComment, onChompKeep) {
		const { blockQuote, commentString, lineWidth } = ctx.options;
		if (!blockQuote || /\n[\t ]+$/.test(value)) return quotedString(value, ctx);
		const indent = ctx.indent || (ctx.forceBlockIndent || containsDocumentMarker(value) ? "  " : "");
		const literal = blockQuote === "literal" ? true : blockQuote === "folded" || type === Scalar.Scalar.BLOCK_FOLDED ? false : type === Scalar.Scalar.BLOCK_LITERAL ? true : !lineLengthOverLimit(value, lineWidth, indent.length);
		if (!value) return literal ? "|\n" : ">\n";
		let chomp;
		let endStart;
		for (endStart = value.length; endStart > 0; --endStart) {
			const ch = value[endStart - 1];
			if (ch !== "\n" && ch !== "	" && ch !== " ") break;
		}
		let end = value.substring(endStart);
		const endNlPos = end.indexOf("\n");
		if (endNlPos === -1) chomp = "-";
		else if (value === end || endNlPos !== end.length - 1) {
			chomp = "+";
			if (onChompKeep) onChompKeep();
		} else chomp = "";
		if (end) {
			value = value.slice(0, -end.length);
			if (end[end.length - 1] === "\n") end = end.slice(0, -1);
			end = end.replace(blockEndNewlines, `$&${indent}`);
		}
		let startWithSpace = false;
		let startEnd;
		let startNlPos = -1;
		for (startEnd = 0; startEnd < value.length; ++startEnd) {
			const ch = value[startEnd];
			if (ch === " ") startWithSpace = true;
			else if (ch === "\n") startNlPos = startEnd;
			else break;
		}
		let start = value.substring(0, startNlPos < startEnd ? startNlPos + 1 : startEnd);
		if (start) {
			value = value.substring(start.length);
			start = start.replace(/\n+/g, `$&${indent}`);
		}
		let header = (startWithSpace ? indent ? "2" : "1" : "") + chomp;
		if (comment) {
			header += " " + commentString(comment.replace(/ ?[\r\n]+/g, " "));
			if (onComment) onComment();
		}
		if (!literal) {
			const foldedValue = value.replace(/\n+/g, "\n$&").replace(/(?:^|\n)([\t ].*)(?:([\n\t ]*)\n(?![\n\t ]))?/g, "$1$2").replace(/\n+/g, `$&${indent}`);
			let literalFallback = false;
			const foldOptions = getFoldOptions(ctx, true);
			if (blockQuote !== "folded" && type !== Scalar.Scalar.BLOCK_FOLDED) foldOptions.onOverflow = () => {
				literalFallback = true;
			};
			const body = foldFlowLines.foldFlowLines(`${start}${foldedValue}${end}`, indent, foldFlowLines.FOLD_BLOCK, foldOptions);
			if (!literalFallback) return `>${header}\n${indent}${body}`;
		}
		value = value.replace(/\n+/g, `$&${indent}`);
		return `|${header}\n${indent}${start}${value}${end}`;
	}
	function plainString(item, ctx, onComment, onChompKeep) {
		const { type, value } = item;
		const { actualString, implicitKey, indent, indentStep, inFlow } = ctx;
		if (implicitKey && value.includes("\n") || inFlow && /[[\]{},]/.test(value)) return quotedString(value, ctx);
		if (/^[\n\t ,[\]{}#&*!|>'"%@`]|^[?-]$|^[?-][ \t]|[\n:][ \t]|[ \t]\n|[\n\t ]#|[\n\t :]$/.test(value)) return implicitKey || inFlow || !value.includes("\n") ? quotedString(value, ctx) : blockString(item, ctx, onComment, onChompKeep);
		if (!implicitKey && !inFlow && type !== Scalar.Scalar.PLAIN && value.includes("\n")) return blockString(item, ctx, onComment, onChompKeep);
		if (containsDocumentMarker(value)) {
			if (indent === "") {
				ctx.forceBlockIndent = true;
				return blockString(item, ctx, onComment, onChompKeep);
			} else if (implicitKey && indent === indentStep) return quotedString(value, ctx);
		}
		const str = value.replace(/\n+/g, `$&\n${indent}`);
		if (actualString) {
			const test = (tag) => tag.default && tag.tag !== "tag:yaml.org,2002:str" && tag.test?.test(str);
			const { compat, tags } = ctx.doc.schema;
			if (tags.some(test) || compat?.some(test)) return quotedString(value, ctx);
		}
		return implicitKey ? str : foldFlowLines.foldFlowLines(str, indent, foldFlowLines.FOLD_FLOW, getFoldOptions(ctx, false));
	}
	function stringifyString(item, ctx, onComment, onChompKeep) {
		const { implicitKey, inFlow } = ctx;
		const ss = typeof item.value === "string" ? item : Object.assign({}, item, { value: String(item.value) });
		let { type } = item;
		if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
			if (/[\x00-\x08\x0b-\x1f\x7f-\x9f\u{D800}-\u{DFFF}]/u.test(ss.value)) type = Scalar.Scalar.QUOTE_DOUBLE;
		}
		const _stringify = (_type) => {
			switch (_type) {
				case Scalar.Scalar.BLOCK_FOLDED:
				case Scalar.Scalar.BLOCK_LITERAL: return implicitKey || inFlow ? quotedString(ss.value, ctx) : blockString(ss, ctx, onComment, onChompKeep);
				case Scalar.Scalar.QUOTE_DOUBLE: return doubleQuotedString(ss.value, ctx);
				case Scalar.Scalar.QUOTE_SINGLE: return singleQuotedString(ss.value, ctx);
				case Scalar.Scalar.PLAIN: return plainString(ss, ctx, onComment, onChompKeep);
				default: return null;
			}
		};
		let res = _stringify(type);
		if (res === null) {
			const { defaultKeyType, defaultStringType } = ctx.options;
			const t = implicitKey && defaultKeyType || defaultStringType;
			res = _stringify(t);
			if (res === null) throw new Error(`Unsupported default string type ${t}`);
		}
		return res;
	}
	exports.stringifyString = stringifyString;
}));
// node_modules/yaml/dist/stringify/stringify.js
var require_stringify = /* @__PURE__ */ __commonJSMin(((exports) => {
	var anchors = require_anchors();
	var identity = require_identity();
	var stringifyComment = require_stringifyComment();
	var stringifyString = require_stringifyString();
	function createStringifyContext(doc, options) {
		const opt = Object.assign({
			blockQuote: true,
			commentString: stringifyComment.stringifyComment,
			defaultKeyType: null,
			defaultStringType: "PLAIN",
			directives: null,
			doubleQuotedAsJSON: false,
			doubleQuotedMinMultiLineLength: 40,
			falseStr: "false",
			flowCollectionPadding: true,
			indentSeq: true,
			lineWidth: 80,
			minContentWidth: 20,
			nullStr: "null",
			simpleKeys: false,
			singleQuote: null,
			trailingComma: false,
			trueStr: "true",
			verifyAliasOrder: true
		}, doc.schema.toStringOptions, options);
		let inFlow;
		switch (opt.collectionStyle) {
			case "block":
				inFlow = false;
				break;
			case "flow":
				inFlow = true;
				break;
			default: inFlow = null;
		}
		return {
			anchors: /* @__PURE__ */ new Set(),
			doc,
			flowCollectionPadding: opt.flowCollectionPadding ? " " : "",
			indent: "",
			indentStep: typeof opt.indent === "number" ? " ".repeat(opt.indent) : "  ",
			inFlow,
			options: opt
		};
	}
	function getTagObject(tags, item) {
		if (item.tag) {
			const match = tags.filter((t) => t.tag === item.tag);
			if (match.length > 0) return match.find((t) => t.format === item.format) ?? match[0];
		}
		let tagObj = void 0;
		let obj;
		if (identity.isScalar(item)) {
			obj = item.value;
			let match = tags.filter((t) => t.identify?.(obj));
			if (match.length > 1) {
				const testMatch = match.filter((t) => t.test);
				if (testMatch.length > 0) match = testMatch;
			}
			tagObj = match.find((t) => t.format === item.format) ?? match.find((t) => !t.format);
		} else {
			obj = item;
			tagObj = tags.find((t) => t.nodeClass && obj instanceof t.nodeClass);
		}
		if (!tagObj) {
			const name = obj?.constructor?.name ?? (obj === null ? "null" : typeof obj);
			throw new Error(`Tag not resolved for ${name} value`);
		}
		return tagObj;
	}
	function stringifyProps(node, tagObj, { anchors: anchors$1, doc }) {
		if (!doc.directives) return "";
		const props = [];
		const anchor = (identity.isScalar(node) || identity.isCollection(node)) && node.anchor;
		if (anchor && anchors.anchorIsValid(anchor)) {
			anchors$1.add(anchor);
			props.push(`&${anchor}`);
		}
		const tag = node.tag ?? (tagObj.default ? null : tagObj.tag);
		if (tag) props.push(doc.directives.tagString(tag));
		return props.join(" ");
	}
	function stringify(item, ctx, onComment, onChompKeep) {
		if (identity.isPair(item)) return item.toString(ctx, onComment, onChompKeep);
		if (identity.isAlias(item)) {
			if (ctx.doc.directives) return item.toString(ctx);
			if (ctx.resolvedAliases?.has(item)) throw new TypeError(`Cannot stringify circular structure without alias nodes`);
			else {
				if (ctx.resolvedAliases) ctx.resolvedAliases.add(item);
				else ctx.resolvedAliases = /* @__PURE__ */ new Set([item]);
				item = item.resolve(ctx.doc);
			}
		}
		let tagObj = void 0;
		const node = identity.isNode(item) ? item : ctx.doc.createNode(item, { onTagObj: (o) => tagObj = o });
		tagObj ?? (tagObj = getTagObject(ctx.doc.schema.tags, node));
		const props = stringifyProps(node, tagObj, ctx);
		if (props.length > 0) ctx.indentAtStart = (ctx.indentAtStart ?? 0) + props.length + 1;
		const str = typeof tagObj.stringify === "function" ? tagObj.stringify(node, ctx, onComment, onChompKeep) : identity.isScalar(node) ? stringifyString.stringifyString(node, ctx, onComment, onChompKeep) : node.toString(ctx, onComment, onChompKeep);
		if (!props) return str;
		return identity.isScalar(node) || str[0] === "{" || str[0] === "[" ? `${props} ${str}` : `${props}\n${ctx.indent}${str}`;
	}
	exports.createStringifyContext = createStringifyContext;
	exports.stringify = stringify;
}));
// node_modules/yaml/dist/stringify/stringifyPair.js
var require_stringifyPair = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Scalar = require_Scalar();
	var stringify = require_stringify();
	var stringifyComment = require_stringifyComment();
	function stringifyPair({ key, value }, ctx, onComment, onChompKeep) {
		const { allNullValues, doc, indent, indentStep, options: { commentString, indentSeq, simpleKeys } } = ctx;
		let keyComment = identity.isNode(key) && key.comment || null;
		if (simpleKeys) {
			if (keyComment) throw new Error("With simple keys, key nodes cannot have comments");
			if (identity.isCollection(key) || !identity.isNode(key) && typeof key === "object") throw new Error("With simple keys, collection cannot be used as a key value");
		}
		let explicitKey = !simpleKeys && (!key || keyComment && value == null && !ctx.inFlow || identity.isCollection(key) || (identity.isScalar(key) ? key.type === Scalar.Scalar.BLOCK_FOLDED || key.type === Scalar.Scalar.BLOCK_LITERAL : typeof key === "object"));
		ctx = Object.assign({}, ctx, {
			allNullValues: false,
			implicitKey: !explicitKey && (simpleKeys || !allNullValues),
			indent: indent + indentStep
		});
		let keyCommentDone = false;
		let chompKeep = false;
		let str = stringify.stringify(key, ctx, () => keyCommentDone = true, () => chompKeep = true);
		if (!explicitKey && !ctx.inFlow && str.length > 1024) {
			if (simpleKeys) throw new Error("With simple keys, single line scalar must not span more than 1024 characters");
			explicitKey = true;
		}
		if (ctx.inFlow) {
			if (allNullValues || value == null) {
				if (keyCommentDone && onComment) onComment();
				return str === "" ? "?" : explicitKey ? `? ${str}` : str;
			}
		} else if (allNullValues && !simpleKeys || value == null && explicitKey) {
			str = `? ${str}`;
			if (keyComment && !keyCommentDone) str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
			else if (chompKeep && onChompKeep) onChompKeep();
			return str;
		}
		if (keyCommentDone) keyComment = null;
		if (explicitKey) {
			if (keyComment) str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
			str = `? ${str}\n${indent}:`;
		} else {
			str = `${str}:`;
			if (keyComment) str += stringifyComment.lineComment(str, ctx.indent, commentString(keyComment));
		}
		let vsb, vcb, valueComment;
		if (identity.isNode(value)) {
			vsb = !!value.spaceBefore;
			vcb = value.commentBefore;
			valueComment = value.comment;
		} else {
			vsb = false;
			vcb = null;
			valueComment = null;
			if (value && typeof value === "object") value = doc.createNode(value);
		}
		ctx.implicitKey = false;
		if (!explicitKey && !keyComment && identity.isScalar(value)) ctx.indentAtStart = str.length + 1;
		chompKeep = false;
		if (!indentSeq && indentStep.length >= 2 && !ctx.inFlow && !explicitKey && identity.isSeq(value) && !value.flow && !value.tag && !value.anchor) ctx.indent = ctx.indent.substring(2);
		let valueCommentDone = false;
		const valueStr = stringify.stringify(value, ctx, () => valueCommentDone = true, () => chompKeep = true);
		let ws = " ";
		if (keyComment || vsb || vcb) {
			ws = vsb ? "\n" : "";
			if (vcb) {
				const cs = commentString(vcb);
				ws += `\n${stringifyComment.indentComment(cs, ctx.indent)}`;
			}
			if (valueStr === "" && !ctx.inFlow) {
				if (ws === "\n" && valueComment) ws = "\n\n";
			} else ws += `\n${ctx.indent}`;
		} else if (!explicitKey && identity.isCollection(value)) {
			const vs0 = valueStr[0];
			const nl0 = valueStr.indexOf("\n");
			const hasNewline = nl0 !== -1;
			const flow = ctx.inFlow ?? value.flow ?? value.items.length === 0;
			if (hasNewline || !flow) {
				let hasPropsLine = false;
				if (hasNewline && (vs0 === "&" || vs0 === "!")) {
					let sp0 = valueStr.indexOf(" ");
					if (vs0 === "&" && sp0 !== -1 && sp0 < nl0 && valueStr[sp0 + 1] === "!") sp0 = valueStr.indexOf(" ", sp0 + 1);
					if (sp0 === -1 || nl0 < sp0) hasPropsLine = true;
				}
				if (!hasPropsLine) ws = `\n${ctx.indent}`;
			}
		} else if (valueStr === "" || valueStr[0] === "\n") ws = "";
		str += ws + valueStr;
		if (ctx.inFlow) {
			if (valueCommentDone && onComment) onComment();
		} else if (valueComment && !valueCommentDone) str += stringifyComment.lineComment(str, ctx.indent, commentString(valueComment));
		else if (chompKeep && onChompKeep) onChompKeep();
		return str;
	}
	exports.stringifyPair = stringifyPair;
}));
// node_modules/yaml/dist/log.js
var require_log = /* @__PURE__ */ __commonJSMin(((exports) => {
	var node_process = __require("process");
	function debug(logLevel, ...messages) {
		if (logLevel === "debug") console.log(...messages);
	}
	function warn(logLevel, warning) {
		if (logLevel === "debug" || logLevel === "warn") {
			if (typeof node_process.emitWarning === "function") node_process.emitWarning(warning);
			else console.warn(warning);
		}
	}
	exports.debug = debug;
	exports.warn = warn;
}));
// node_modules/yaml/dist/schema/yaml-1.1/merge.js
var require_merge = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Scalar = require_Scalar();
	const MERGE_KEY = "<<";
	const merge = {
		identify: (value) => value === MERGE_KEY || typeof value === "symbol" && value.description === MERGE_KEY,
		default: "key",
		tag: "tag:yaml.org,2002:merge",
		test: /^<<$/,
		resolve: () => Object.assign(new Scalar.Scalar(Symbol(MERGE_KEY)), { addToJSMap: addMergeToJSMap }),
		stringify: () => MERGE_KEY
	};
	const isMergeKey = (ctx, key) => (merge.identify(key) || identity.isScalar(key) && (!key.type || key.type === Scalar.Scalar.PLAIN) && merge.identify(key.value)) && ctx?.doc.schema.tags.some((tag) => tag.tag === merge.tag && tag.default);
	function addMergeToJSMap(ctx, map, value) {
		const source = resolveAliasValue(ctx, value);
		if (identity.isSeq(source)) for (const it of source.items) mergeValue(ctx, map, it);
		else if (Array.isArray(source)) for (const it of source) mergeValue(ctx, map, it);
		else mergeValue(ctx, map, source);
	}
	function mergeValue(ctx, map, value) {
		const source = resolveAliasValue(ctx, value);
		if (!identity.isMap(source)) throw new Error("Merge sources must be maps or map aliases");
		const srcMap = source.toJSON(null, ctx, Map);
		for (const [key, value] of srcMap) if (map instanceof Map) {
			if (!map.has(key)) map.set(key, value);
		} else if (map instanceof Set) map.add(key);
		else if (!Object.prototype.hasOwnProperty.call(map, key)) Object.defineProperty(map, key, {
			value,
			writable: true,
			enumerable: true,
			configurable: true
		});
		return map;
	}
	function resolveAliasValue(ctx, value) {
		return ctx && identity.isAlias(value) ? value.resolve(ctx.doc, ctx) : value;
	}
	exports.addMergeToJSMap = addMergeToJSMap;
	exports.isMergeKey = isMergeKey;
	exports.merge = merge;
}));
// node_modules/yaml/dist/nodes/addPairToJSMap.js
var require_addPairToJSMap = /* @__PURE__ */ __commonJSMin(((exports) => {
	var log = require_log();
	var merge = require_merge();
	var stringify = require_stringify();
	var identity = require_identity();
	var toJS = require_toJS();
	function addPairToJSMap(ctx, map, { key, value }) {
		if (identity.isNode(key) && key.addToJSMap) key.addToJSMap(ctx, map, value);
		else if (merge.isMergeKey(ctx, key)) merge.addMergeToJSMap(ctx, map, value);
		else {
			const jsKey = toJS.toJS(key, "", ctx);
			if (map instanceof Map) map.set(jsKey, toJS.toJS(value, jsKey, ctx));
			else if (map instanceof Set) map.add(jsKey);
			else {
				const stringKey = stringifyKey(key, jsKey, ctx);
				const jsValue = toJS.toJS(value, stringKey, ctx);
				if (stringKey in map) Object.defineProperty(map, stringKey, {
					value: jsValue,
					writable: true,
					enumerable: true,
					configurable: true
				});
				else map[stringKey] = jsValue;
			}
		}
		return map;
	}
	function stringifyKey(key, jsKey, ctx) {
		if (jsKey === null) return "";
		if (typeof jsKey !== "object") return String(jsKey);
		if (identity.isNode(key) && ctx?.doc) {
			const strCtx = stringify.createStringifyContext(ctx.doc, {});
			strCtx.anchors = /* @__PURE__ */ new Set();
			for (const node of ctx.anchors.keys()) strCtx.anchors.add(node.anchor);
			strCtx.inFlow = true;
			strCtx.inStringifyKey = true;
			const strKey = key.toString(strCtx);
			if (!ctx.mapKeyWarned) {
				let jsonStr = JSON.stringify(strKey);
				if (jsonStr.length > 40) jsonStr = jsonStr.substring(0, 36) + "...\"";
				log.warn(ctx.doc.options.logLevel, `Keys with collection values will be stringified due to JS Object restrictions: ${jsonStr}. Set mapAsMap: true to use object keys.`);
				ctx.mapKeyWarned = true;
			}
			return strKey;
		}
		return JSON.stringify(jsKey);
	}
	exports.addPairToJSMap = addPairToJSMap;
}));
// node_modules/yaml/dist/nodes/Pair.js
var require_Pair = /* @__PURE__ */ __commonJSMin(((exports) => {
	var createNode = require_createNode();
	var stringifyPair = require_stringifyPair();
	var addPairToJSMap = require_addPairToJSMap();
	var identity = require_identity();
	function createPair(key, value, ctx) {
		return new Pair(createNode.createNode(key, void 0, ctx), createNode.createNode(value, void 0, ctx));
	}
	var Pair = class Pair {
		constructor(key, value = null) {
			Object.defineProperty(this, identity.NODE_TYPE, { value: identity.PAIR });
			this.key = key;
			this.value = value;
		}
		clone(schema) {
			let { key, value } = this;
			if (identity.isNode(key)) key = key.clone(schema);
			if (identity.isNode(value)) value = value.clone(schema);
			return new Pair(key, value);
		}
		toJSON(_, ctx) {
			const pair = ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
			return addPairToJSMap.addPairToJSMap(ctx, pair, this);
		}
		toString(ctx, onComment, onChompKeep) {
			return ctx?.doc ? stringifyPair.stringifyPair(this, ctx, onComment, onChompKeep) : JSON.stringify(this);
		}
	};
	exports.Pair = Pair;
	exports.createPair = createPair;
}));
// node_modules/yaml/dist/stringify/stringifyCollection.js
var require_stringifyCollection = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var stringify = require_stringify();
	var stringifyComment = require_stringifyComment();
	function stringifyCollection(collection, ctx, options) {
		return (ctx.inFlow ?? collection.flow ? stringifyFlowCollection : stringifyBlockCollection)(collection, ctx, options);
	}
	function stringifyBlockCollection({ comment, items }, ctx, { blockItemPrefix, flowChars, itemIndent, onChompKeep, onComment }) {
		const { indent, options: { commentString } } = ctx;
		const itemCtx = Object.assign({}, ctx, {
			indent: itemIndent,
			type: null
		});
		let chompKeep = false;
		const lines = [];
		for (let i = 0; i < items.length; ++i) {
			const item = items[i];
			let comment = null;
			if (identity.isNode(item)) {
				if (!chompKeep && item.spaceBefore) lines.push("");
				addCommentBefore(ctx, lines, item.commentBefore, chompKeep);
				if (item.comment) comment = item.comment;
			} else if (identity.isPair(item)) {
				const ik = identity.isNode(item.key) ? item.key : null;
				if (ik) {
					if (!chompKeep && ik.spaceBefore) lines.push("");
					addCommentBefore(ctx, lines, ik.commentBefore, chompKeep);
				}
			}
			chompKeep = false;
			let str = stringify.stringify(item, itemCtx, () => comment = null, () => chompKeep = true);
			if (comment) str += stringifyComment.lineComment(str, itemIndent, commentString(comment));
			if (chompKeep && comment) chompKeep = false;
			lines.push(blockItemPrefix + str);
		}
		let str;
		if (lines.length === 0) str = flowChars.start + flowChars.end;
		else {
			str = lines[0];
			for (let i = 1; i < lines.length; ++i) {
				const line = lines[i];
				str += line ? `\n${indent}${line}` : "\n";
			}
		}
		if (comment) {
			str += "\n" + stringifyComment.indentComment(commentString(comment), indent);
			if (onComment) onComment();
		} else if (chompKeep && onChompKeep) onChompKeep();
		return str;
	}
	function stringifyFlowCollection({ items }, ctx, { flowChars, itemIndent }) {
		const { indent, indentStep, flowCollectionPadding: fcPadding, options: { commentString } } = ctx;
		itemIndent += indentStep;
		const itemCtx = Object.assign({}, ctx, {
			indent: itemIndent,
			inFlow: true,
			type: null
		});
		let reqNewline = false;
		let linesAtValue = 0;
		const lines = [];
		for (let i = 0; i < items.length; ++i) {
			const item = items[i];
			let comment = null;
			if (identity.isNode(item)) {
				if (item.spaceBefore) lines.push("");
				addCommentBefore(ctx, lines, item.commentBefore, false);
				if (item.comment) comment = item.comment;
			} else if (identity.isPair(item)) {
				const ik = identity.isNode(item.key) ? item.key : null;
				if (ik) {
					if (ik.spaceBefore) lines.push("");
					addCommentBefore(ctx, lines, ik.commentBefore, false);
					if (ik.comment) reqNewline = true;
				}
				const iv = identity.isNode(item.value) ? item.value : null;
				if (iv) {
					if (iv.comment) comment = iv.comment;
					if (iv.commentBefore) reqNewline = true;
				} else if (item.value == null && ik?.comment) comment = ik.comment;
			}
			if (comment) reqNewline = true;
			let str = stringify.stringify(item, itemCtx, () => comment = null);
			reqNewline || (reqNewline = lines.length > linesAtValue || str.includes("\n"));
			if (i < items.length - 1) str += ",";
			else if (ctx.options.trailingComma) {
				if (ctx.options.lineWidth > 0) reqNewline || (reqNewline = lines.reduce((sum, line) => sum + line.length + 2, 2) + (str.length + 2) > ctx.options.lineWidth);
				if (reqNewline) str += ",";
			}
			if (comment) str += stringifyComment.lineComment(str, itemIndent, commentString(comment));
			lines.push(str);
			linesAtValue = lines.length;
		}
		const { start, end } = flowChars;
		if (lines.length === 0) return start + end;
		else {
			if (!reqNewline) {
				const len = lines.reduce((sum, line) => sum + line.length + 2, 2);
				reqNewline = ctx.options.lineWidth > 0 && len > ctx.options.lineWidth;
			}
			if (reqNewline) {
				let str = start;
				for (const line of lines) str += line ? `\n${indentStep}${indent}${line}` : "\n";
				return `${str}\n${indent}${end}`;
			} else return `${start}${fcPadding}${lines.join(" ")}${fcPadding}${end}`;
		}
	}
	function addCommentBefore({ indent, options: { commentString } }, lines, comment, chompKeep) {
		if (comment && chompKeep) comment = comment.replace(/^\n+/, "");
		if (comment) {
			const ic = stringifyComment.indentComment(commentString(comment), indent);
			lines.push(ic.trimStart());
		}
	}
	exports.stringifyCollection = stringifyCollection;
}));
// node_modules/yaml/dist/nodes/YAMLMap.js
var require_YAMLMap = /* @__PURE__ */ __commonJSMin(((exports) => {
	var stringifyCollection = require_stringifyCollection();
	var addPairToJSMap = require_addPairToJSMap();
	var Collection = require_Collection();
	var identity = require_identity();
	var Pair = require_Pair();
	var Scalar = require_Scalar();
	function findPair(items, key) {
		const k = identity.isScalar(key) ? key.value : key;
		for (const it of items) if (identity.isPair(it)) {
			if (it.key === key || it.key === k) return it;
			if (identity.isScalar(it.key) && it.key.value === k) return it;
		}
	}
	var YAMLMap = class extends Collection.Collection {
		static get tagName() {
			return "tag:yaml.org,2002:map";
		}
		constructor(schema) {
			super(identity.MAP, schema);
			this.items = [];
		}
		/**
		* A generic collection parsing method that can be extended
		* to other node classes that inherit from YAMLMap
		*/
		static from(schema, obj, ctx) {
			const { keepUndefined, replacer } = ctx;
			const map = new this(schema);
			const add = (key, value) => {
				if (typeof replacer === "function") value = replacer.call(obj, key, value);
				else if (Array.isArray(replacer) && !replacer.includes(key)) return;
				if (value !== void 0 || keepUndefined) map.items.push(Pair.createPair(key, value, ctx));
			};
			if (obj instanceof Map) for (const [key, value] of obj) add(key, value);
			else if (obj && typeof obj === "object") for (const key of Object.keys(obj)) add(key, obj[key]);
			if (typeof schema.sortMapEntries === "function") map.items.sort(schema.sortMapEntries);
			return map;
		}
		/**
		* Adds a value to the collection.
		*
		* @param overwrite - If not set `true`, using a key that is already in the
		*   collection will throw. Otherwise, overwrites the previous value.
		*/
		add(pair, overwrite) {
			let _pair;
			if (identity.isPair(pair)) _pair = pair;
			else if (!pair || typeof pair !== "object" || !("key" in pair)) _pair = new Pair.Pair(pair, pair?.value);
			else _pair = new Pair.Pair(pair.key, pair.value);
			const prev = findPair(this.items, _pair.key);
			const sortEntries = this.schema?.sortMapEntries;
			if (prev) {
				if (!overwrite) throw new Error(`Key ${_pair.key} already set`);
				if (identity.isScalar(prev.value) && Scalar.isScalarValue(_pair.value)) prev.value.value = _pair.value;
				else prev.value = _pair.value;
			} else if (sortEntries) {
				const i = this.items.findIndex((item) => sortEntries(_pair, item) < 0);
				if (i === -1) this.items.push(_pair);
				else this.items.splice(i, 0, _pair);
			} else this.items.push(_pair);
		}
		delete(key) {
			const it = findPair(this.items, key);
			if (!it) return false;
			return this.items.splice(this.items.indexOf(it), 1).length > 0;
		}
		get(key, keepScalar) {
			const node = findPair(this.items, key)?.value;
			return (!keepScalar && identity.isScalar(node) ? node.value : node) ?? void 0;
		}
		has(key) {
			return !!findPair(this.items, key);
		}
		set(key, value) {
			this.add(new Pair.Pair(key, value), true);
		}
		/**
		* @param ctx - Conversion context, originally set in Document#toJS()
		* @param {Class} Type - If set, forces the returned collection type
		* @returns Instance of Type, Map, or Object
		*/
		toJSON(_, ctx, Type) {
			const map = Type ? new Type() : ctx?.mapAsMap ? /* @__PURE__ */ new Map() : {};
			if (ctx?.onCreate) ctx.onCreate(map);
			for (const item of this.items) addPairToJSMap.addPairToJSMap(ctx, map, item);
			return map;
		}
		toString(ctx, onComment, onChompKeep) {
			if (!ctx) return JSON.stringify(this);
			for (const item of this.items) if (!identity.isPair(item)) throw new Error(`Map items must all be pairs; found ${JSON.stringify(item)} instead`);
			if (!ctx.allNullValues && this.hasAllNullValues(false)) ctx = Object.assign({}, ctx, { allNullValues: true });
			return stringifyCollection.stringifyCollection(this, ctx, {
				blockItemPrefix: "",
				flowChars: {
					start: "{",
					end: "}"
				},
				itemIndent: ctx.indent || "",
				onChompKeep,
				onComment
			});
		}
	};
	exports.YAMLMap = YAMLMap;
	exports.findPair = findPair;
}));
// node_modules/yaml/dist/schema/common/map.js
var require_map = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var YAMLMap = require_YAMLMap();
	exports.map = {
		collection: "map",
		default: true,
		nodeClass: YAMLMap.YAMLMap,
		tag: "tag:yaml.org,2002:map",
		resolve(map, onError) {
			if (!identity.isMap(map)) onError("Expected a mapping for this tag");
			return map;
		},
		createNode: (schema, obj, ctx) => YAMLMap.YAMLMap.from(schema, obj, ctx)
	};
}));
// node_modules/yaml/dist/nodes/YAMLSeq.js
var require_YAMLSeq = /* @__PURE__ */ __commonJSMin(((exports) => {
	var createNode = require_createNode();
	var stringifyCollection = require_stringifyCollection();
	var Collection = require_Collection();
	var identity = require_identity();
	var Scalar = require_Scalar();
	var toJS = require_toJS();
	var YAMLSeq = class extends Collection.Collection {
		static get tagName() {
			return "tag:yaml.org,2002:seq";
		}
		constructor(schema) {
			super(identity.SEQ, schema);
			this.items = [];
		}
		add(value) {
			this.items.push(value);
		}
		/**
		* Removes a value from the collection.
		*
		* `key` must contain a representation of an integer for this to succeed.
		* It may be wrapped in a `Scalar`.
		*
		* @returns `true` if the item was found and removed.
		*/
		delete(key) {
			const idx = asItemIndex(key);
			if (typeof idx !== "number") return false;
			return this.items.splice(idx, 1).length > 0;
		}
		get(key, keepScalar) {
			const idx = asItemIndex(key);
			if (typeof idx !== "number") return void 0;
			const it = this.items[idx];
			return !keepScalar && identity.isScalar(it) ? it.value : it;
		}
		/**
		* Checks if the collection includes a value with the key `key`.
		*
		* `key` must contain a representation of an integer for this to succeed.
		* It may be wrapped in a `Scalar`.
		*/
		has(key) {
			const idx = asItemIndex(key);
			return typeof idx === "number" && idx < this.items.length;
		}
		/**
		* Sets a value in this collection. For `!!set`, `value` needs to be a
		* boolean to add/remove the item from the set.
		*
		* If `key` does not contain a representation of an integer, this will throw.
		* It may be wrapped in a `Scalar`.
		*/
		set(key, value) {
			const idx = asItemIndex(key);
			if (typeof idx !== "number") throw new Error(`Expected a valid index, not ${key}.`);
			const prev = this.items[idx];
			if (identity.isScalar(prev) && Scalar.isScalarValue(value)) prev.value = value;
			else this.items[idx] = value;
		}
		toJSON(_, ctx) {
			const seq = [];
			if (ctx?.onCreate) ctx.onCreate(seq);
			let i = 0;
			for (const item of this.items) seq.push(toJS.toJS(item, String(i++), ctx));
			return seq;
		}
		toString(ctx, onComment, onChompKeep) {
			if (!ctx) return JSON.stringify(this);
			return stringifyCollection.stringifyCollection(this, ctx, {
				blockItemPrefix: "- ",
				flowChars: {
					start: "[",
					end: "]"
				},
				itemIndent: (ctx.indent || "") + "  ",
				onChompKeep,
				onComment
			});
		}
		static from(schema, obj, ctx) {
			const { replacer } = ctx;
			const seq = new this(schema);
			if (obj && Symbol.iterator in Object(obj)) {
				let i = 0;
				for (let it of obj) {
					if (typeof replacer === "function") {
						const key = obj instanceof Set ? it : String(i++);
						it = replacer.call(obj, key, it);
					}
					seq.items.push(createNode.createNode(it, void 0, ctx));
				}
			}
			return seq;
		}
	};
	function asItemIndex(key) {
		let idx = identity.isScalar(key) ? key.value : key;
		if (idx && typeof idx === "string") idx = Number(idx);
		return typeof idx === "number" && Number.isInteger(idx) && idx >= 0 ? idx : null;
	}
	exports.YAMLSeq = YAMLSeq;
}));
// node_modules/yaml/dist/schema/common/seq.js
var require_seq = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var YAMLSeq = require_YAMLSeq();
	exports.seq = {
		collection: "seq",
		default: true,
		nodeClass: YAMLSeq.YAMLSeq,
		tag: "tag:yaml.org,2002:seq",
		resolve(seq, onError) {
			if (!identity.isSeq(seq)) onError("Expected a sequence for this tag");
			return seq;
		},
		createNode: (schema, obj, ctx) => YAMLSeq.YAMLSeq.from(schema, obj, ctx)
	};
}));
// node_modules/yaml/dist/schema/common/string.js
var require_string = /* @__PURE__ */ __commonJSMin(((exports) => {
	var stringifyString = require_stringifyString();
	exports.string = {
		identify: (value) => typeof value === "string",
		default: true,
		tag: "tag:yaml.org,2002:str",
		resolve: (str) => str,
		stringify(item, ctx, onComment, onChompKeep) {
			ctx = Object.assign({ actualString: true }, ctx);
			return stringifyString.stringifyString(item, ctx, onComment, onChompKeep);
		}
	};
}));
// node_modules/yaml/dist/schema/common/null.js
var require_null = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	const nullTag = {
		identify: (value) => value == null,
		createNode: () => new Scalar.Scalar(null),
		default: true,
		tag: "tag:yaml.org,2002:null",
		test: /^(?:~|[Nn]ull|NULL)?$/,
		resolve: () => new Scalar.Scalar(null),
		stringify: ({ source }, ctx) => typeof source === "string" && nullTag.test.test(source) ? source : ctx.options.nullStr
	};
	exports.nullTag = nullTag;
}));
// node_modules/yaml/dist/schema/core/bool.js
var require_bool$1 = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	const boolTag = {
		identify: (value) => typeof value === "boolean",
		default: true,
		tag: "tag:yaml.org,2002:bool",
		test: /^(?:[Tt]rue|TRUE|[Ff]alse|FALSE)$/,
		resolve: (str) => new Scalar.Scalar(str[0] === "t" || str[0] === "T"),
		stringify({ source, value }, ctx) {
			if (source && boolTag.test.test(source)) {
				if (value === (source[0] === "t" || source[0] === "T")) return source;
			}
			return value ? ctx.options.trueStr : ctx.options.falseStr;
		}
	};
	exports.boolTag = boolTag;
}));
// node_modules/yaml/dist/stringify/stringifyNumber.js
var require_stringifyNumber = /* @__PURE__ */ __commonJSMin(((exports) => {
	function stringifyNumber({ format, minFractionDigits, tag, value }) {
		if (typeof value === "bigint") return String(value);
		const num = typeof value === "number" ? value : Number(value);
		if (!isFinite(num)) return isNaN(num) ? ".nan" : num < 0 ? "-.inf" : ".inf";
		let n = Object.is(value, -0) ? "-0" : JSON.stringify(value);
		if (!format && minFractionDigits && (!tag || tag === "tag:yaml.org,2002:float") && /^-?\d/.test(n) && !n.includes("e")) {
			let i = n.indexOf(".");
			if (i < 0) {
				i = n.length;
				n += ".";
			}
			let d = minFractionDigits - (n.length - i - 1);
			while (d-- > 0) n += "0";
		}
		return n;
	}
	exports.stringifyNumber = stringifyNumber;
}));
// node_modules/yaml/dist/schema/core/float.js
var require_float$1 = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	var stringifyNumber = require_stringifyNumber();
	const floatNaN = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
		resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
		stringify: stringifyNumber.stringifyNumber
	};
	const floatExp = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		format: "EXP",
		test: /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)[eE][-+]?[0-9]+$/,
		resolve: (str) => parseFloat(str),
		stringify(node) {
			const num = Number(node.value);
			return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
		}
	};
	exports.float = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		test: /^[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)$/,
		resolve(str) {
			const node = new Scalar.Scalar(parseFloat(str));
			const dot = str.indexOf(".");
			if (dot !== -1 && str[str.length - 1] === "0") node.minFractionDigits = str.length - dot - 1;
			return node;
		},
		stringify: stringifyNumber.stringifyNumber
	};
	exports.floatExp = floatExp;
	exports.floatNaN = floatNaN;
}));
// node_modules/yaml/dist/schema/core/int.js
var require_int$1 = /* @__PURE__ */ __commonJSMin(((exports) => {
	var stringifyNumber = require_stringifyNumber();
	const intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
	const intResolve = (str, offset, radix, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str.substring(offset), radix);
	function intStringify(node, radix, prefix) {
		const { value } = node;
		if (intIdentify(value) && value >= 0) return prefix + value.toString(radix);
		return stringifyNumber.stringifyNumber(node);
	}
	const intOct = {
		identify: (value) => intIdentify(value) && value >= 0,
		default: true,
		tag: "tag:yaml.org,2002:int",
		format: "OCT",
		test: /^0o[0-7]+$/,
		resolve: (str, _onError, opt) => intResolve(str, 2, 8, opt),
		stringify: (node) => intStringify(node, 8, "0o")
	};
	const int = {
		identify: intIdentify,
		default: true,
		tag: "tag:yaml.org,2002:int",
		test: /^[-+]?[0-9]+$/,
		resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
		stringify: stringifyNumber.stringifyNumber
	};
	const intHex = {
		identify: (value) => intIdentify(value) && value >= 0,
		default: true,
		tag: "tag:yaml.org,2002:int",
		format: "HEX",
		test: /^0x[0-9a-fA-F]+$/,
		resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
		stringify: (node) => intStringify(node, 16, "0x")
	};
	exports.int = int;
	exports.intHex = intHex;
	exports.intOct = intOct;
}));
// node_modules/yaml/dist/schema/core/schema.js
var require_schema$2 = /* @__PURE__ */ __commonJSMin(((exports) => {
	var map = require_map();
	var _null = require_null();
	var seq = require_seq();
	var string = require_string();
	var bool = require_bool$1();
	var float = require_float$1();
	var int = require_int$1();
	exports.schema = [
		map.map,
		seq.seq,
		string.string,
		_null.nullTag,
		bool.boolTag,
		int.intOct,
		int.int,
		int.intHex,
		float.floatNaN,
		float.floatExp,
		float.float
	];
}));
// node_modules/yaml/dist/schema/json/schema.js
var require_schema$1 = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	var map = require_map();
	var seq = require_seq();
	function intIdentify(value) {
		return typeof value === "bigint" || Number.isInteger(value);
	}
	const stringifyJSON = ({ value }) => JSON.stringify(value);
	const jsonScalars = [
		{
			identify: (value) => typeof value === "string",
			default: true,
			tag: "tag:yaml.org,2002:str",
			resolve: (str) => str,
			stringify: stringifyJSON
		},
		{
			identify: (value) => value == null,
			createNode: () => new Scalar.Scalar(null),
			default: true,
			tag: "tag:yaml.org,2002:null",
			test: /^null$/,
			resolve: () => null,
			stringify: stringifyJSON
		},
		{
			identify: (value) => typeof value === "boolean",
			default: true,
			tag: "tag:yaml.org,2002:bool",
			test: /^true$|^false$/,
			resolve: (str) => str === "true",
			stringify: stringifyJSON
		},
		{
			identify: intIdentify,
			default: true,
			tag: "tag:yaml.org,2002:int",
			test: /^-?(?:0|[1-9][0-9]*)$/,
			resolve: (str, _onError, { intAsBigInt }) => intAsBigInt ? BigInt(str) : parseInt(str, 10),
			stringify: ({ value }) => intIdentify(value) ? value.toString() : JSON.stringify(value)
		},
		{
			identify: (value) => typeof value === "number",
			default: true,
			tag: "tag:yaml.org,2002:float",
			test: /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$/,
			resolve: (str) => parseFloat(str),
			stringify: stringifyJSON
		}
	];
	exports.schema = [map.map, seq.seq].concat(jsonScalars, {
		default: true,
		tag: "",
		test: /^/,
		resolve(str, onError) {
			onError(`Unresolved plain scalar ${JSON.stringify(str)}`);
			return str;
		}
	});
}));
// node_modules/yaml/dist/schema/yaml-1.1/binary.js
var require_binary = /* @__PURE__ */ __commonJSMin(((exports) => {
	var node_buffer = __require("buffer");
	var Scalar = require_Scalar();
	var stringifyString = require_stringifyString();
	exports.binary = {
		identify: (value) => value instanceof Uint8Array,
		default: false,
		tag: "tag:yaml.org,2002:binary",
		/**
		* Returns a Buffer in node and an Uint8Array in browsers
		*
		* To use the resulting buffer as an image, you'll want to do something like:
		*
		*   const blob = new Blob([buffer], { type: 'image/jpeg' })
		*   document.querySelector('#photo').src = URL.createObjectURL(blob)
		*/
		resolve(src, onError) {
			if (typeof node_buffer.Buffer === "function") return node_buffer.Buffer.from(src, "base64");
			else if (typeof atob === "function") {
				const str = atob(src.replace(/[\n\r]/g, ""));
				const buffer = new Uint8Array(str.length);
				for (let i = 0; i < str.length; ++i) buffer[i] = str.charCodeAt(i);
				return buffer;
			} else {
				onError("This environment does not support reading binary tags; either Buffer or atob is required");
				return src;
			}
		},
		stringify({ comment, type, value }, ctx, onComment, onChompKeep) {
			if (!value) return "";
			const buf = value;
			let str;
			if (typeof node_buffer.Buffer === "function") str = buf instanceof node_buffer.Buffer ? buf.toString("base64") : node_buffer.Buffer.from(buf.buffer).toString("base64");
			else if (typeof btoa === "function") {
				let s = "";
				for (let i = 0; i < buf.length; ++i) s += String.fromCharCode(buf[i]);
				str = btoa(s);
			} else throw new Error("This environment does not support writing binary tags; either Buffer or btoa is required");
			type ?? (type = Scalar.Scalar.BLOCK_LITERAL);
			if (type !== Scalar.Scalar.QUOTE_DOUBLE) {
				const lineWidth = Math.max(ctx.options.lineWidth - ctx.indent.length, ctx.options.minContentWidth);
				const n = Math.ceil(str.length / lineWidth);
				const lines = new Array(n);
				for (let i = 0, o = 0; i < n; ++i, o += lineWidth) lines[i] = str.substr(o, lineWidth);
				str = lines.join(type === Scalar.Scalar.BLOCK_LITERAL ? "\n" : " ");
			}
			return stringifyString.stringifyString({
				comment,
				type,
				value: str
			}, ctx, onComment, onChompKeep);
		}
	};
}));
// node_modules/yaml/dist/schema/yaml-1.1/pairs.js
var require_pairs = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Pair = require_Pair();
	var Scalar = require_Scalar();
	var YAMLSeq = require_YAMLSeq();
	function resolvePairs(seq, onError) {
		if (identity.isSeq(seq)) for (let i = 0; i < seq.items.length; ++i) {
			let item = seq.items[i];
			if (identity.isPair(item)) continue;
			else if (identity.isMap(item)) {
				if (item.items.length > 1) onError("Each pair must have its own sequence indicator");
				const pair = item.items[0] || new Pair.Pair(new Scalar.Scalar(null));
				if (item.commentBefore) pair.key.commentBefore = pair.key.commentBefore ? `${item.commentBefore}\n${pair.key.commentBefore}` : item.commentBefore;
				if (item.comment) {
					const cn = pair.value ?? pair.key;
					cn.comment = cn.comment ? `${item.comment}\n${cn.comment}` : item.comment;
				}
				item = pair;
			}
			seq.items[i] = identity.isPair(item) ? item : new Pair.Pair(item);
		}
		else onError("Expected a sequence for this tag");
		return seq;
	}
	function createPairs(schema, iterable, ctx) {
		const { replacer } = ctx;
		const pairs = new YAMLSeq.YAMLSeq(schema);
		pairs.tag = "tag:yaml.org,2002:pairs";
		let i = 0;
		if (iterable && Symbol.iterator in Object(iterable)) for (let it of iterable) {
			if (typeof replacer === "function") it = replacer.call(iterable, String(i++), it);
			let key, value;
			if (Array.isArray(it)) {
				if (it.length === 2) {
					key = it[0];
					value = it[1];
				} else throw new TypeError(`Expected [key, value] tuple: ${it}`);
			} else if (it && it instanceof Object) {
				const keys = Object.keys(it);
				if (keys.length === 1) {
					key = keys[0];
					value = it[key];
				} else throw new TypeError(`Expected tuple with one key, not ${keys.length} keys`);
			} else key = it;
			pairs.items.push(Pair.createPair(key, value, ctx));
		}
		return pairs;
	}
	const pairs = {
		collection: "seq",
		default: false,
		tag: "tag:yaml.org,2002:pairs",
		resolve: resolvePairs,
		createNode: createPairs
	};
	exports.createPairs = createPairs;
	exports.pairs = pairs;
	exports.resolvePairs = resolvePairs;
}));
// node_modules/yaml/dist/schema/yaml-1.1/omap.js
var require_omap = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var toJS = require_toJS();
	var YAMLMap = require_YAMLMap();
	var YAMLSeq = require_YAMLSeq();
	var pairs = require_pairs();
	var YAMLOMap = class YAMLOMap extends YAMLSeq.YAMLSeq {
		constructor() {
			super();
			this.add = YAMLMap.YAMLMap.prototype.add.bind(this);
			this.delete = YAMLMap.YAMLMap.prototype.delete.bind(this);
			this.get = YAMLMap.YAMLMap.prototype.get.bind(this);
			this.has = YAMLMap.YAMLMap.prototype.has.bind(this);
			this.set = YAMLMap.YAMLMap.prototype.set.bind(this);
			this.tag = YAMLOMap.tag;
		}
		/**
		* If `ctx` is given, the return type is actually `Map<unknown, unknown>`,
		* but TypeScript won't allow widening the signature of a child method.
		*/
		toJSON(_, ctx) {
			if (!ctx) return super.toJSON(_);
			const map = /* @__PURE__ */ new Map();
			if (ctx?.onCreate) ctx.onCreate(map);
			for (const pair of this.items) {
				let key, value;
				if (identity.isPair(pair)) {
					key = toJS.toJS(pair.key, "", ctx);
					value = toJS.toJS(pair.value, key, ctx);
				} else key = toJS.toJS(pair, "", ctx);
				if (map.has(key)) throw new Error("Ordered maps must not include duplicate keys");
				map.set(key, value);
			}
			return map;
		}
		static from(schema, iterable, ctx) {
			const pairs$1 = pairs.createPairs(schema, iterable, ctx);
			const omap = new this();
			omap.items = pairs$1.items;
			return omap;
		}
	};
	YAMLOMap.tag = "tag:yaml.org,2002:omap";
	const omap = {
		collection: "seq",
		identify: (value) => value instanceof Map,
		nodeClass: YAMLOMap,
		default: false,
		tag: "tag:yaml.org,2002:omap",
		resolve(seq, onError) {
			const pairs$1 = pairs.resolvePairs(seq, onError);
			const seenKeys = [];
			for (const { key } of pairs$1.items) if (identity.isScalar(key)) {
				if (seenKeys.includes(key.value)) onError(`Ordered maps must not include duplicate keys: ${key.value}`);
				else seenKeys.push(key.value);
			}
			return Object.assign(new YAMLOMap(), pairs$1);
		},
		createNode: (schema, iterable, ctx) => YAMLOMap.from(schema, iterable, ctx)
	};
	exports.YAMLOMap = YAMLOMap;
	exports.omap = omap;
}));
// node_modules/yaml/dist/schema/yaml-1.1/bool.js
var require_bool = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	function boolStringify({ value, source }, ctx) {
		if (source && (value ? trueTag : falseTag).test.test(source)) return source;
		return value ? ctx.options.trueStr : ctx.options.falseStr;
	}
	const trueTag = {
		identify: (value) => value === true,
		default: true,
		tag: "tag:yaml.org,2002:bool",
		test: /^(?:Y|y|[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/,
		resolve: () => new Scalar.Scalar(true),
		stringify: boolStringify
	};
	const falseTag = {
		identify: (value) => value === false,
		default: true,
		tag: "tag:yaml.org,2002:bool",
		test: /^(?:N|n|[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/,
		resolve: () => new Scalar.Scalar(false),
		stringify: boolStringify
	};
	exports.falseTag = falseTag;
	exports.trueTag = trueTag;
}));
// node_modules/yaml/dist/schema/yaml-1.1/float.js
var require_float = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	var stringifyNumber = require_stringifyNumber();
	const floatNaN = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
		resolve: (str) => str.slice(-3).toLowerCase() === "nan" ? NaN : str[0] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY,
		stringify: stringifyNumber.stringifyNumber
	};
	const floatExp = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		format: "EXP",
		test: /^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?[eE][-+]?[0-9]+$/,
		resolve: (str) => parseFloat(str.replace(/_/g, "")),
		stringify(node) {
			const num = Number(node.value);
			return isFinite(num) ? num.toExponential() : stringifyNumber.stringifyNumber(node);
		}
	};
	exports.float = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		test: /^[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*$/,
		resolve(str) {
			const node = new Scalar.Scalar(parseFloat(str.replace(/_/g, "")));
			const dot = str.indexOf(".");
			if (dot !== -1) {
				const f = str.substring(dot + 1).replace(/_/g, "");
				if (f[f.length - 1] === "0") node.minFractionDigits = f.length;
			}
			return node;
		},
		stringify: stringifyNumber.stringifyNumber
	};
	exports.floatExp = floatExp;
	exports.floatNaN = floatNaN;
}));
// node_modules/yaml/dist/schema/yaml-1.1/int.js
var require_int = /* @__PURE__ */ __commonJSMin(((exports) => {
	var stringifyNumber = require_stringifyNumber();
	const intIdentify = (value) => typeof value === "bigint" || Number.isInteger(value);
	function intResolve(str, offset, radix, { intAsBigInt }) {
		const sign = str[0];
		if (sign === "-" || sign === "+") offset += 1;
		str = str.substring(offset).replace(/_/g, "");
		if (intAsBigInt) {
			switch (radix) {
				case 2:
					str = `0b${str}`;
					break;
				case 8:
					str = `0o${str}`;
					break;
				case 16: str = `0x${str}`;
			}
			const n = BigInt(str);
			return sign === "-" ? BigInt(-1) * n : n;
		}
		const n = parseInt(str, radix);
		return sign === "-" ? -1 * n : n;
	}
	function intStringify(node, radix, prefix) {
		const { value } = node;
		if (intIdentify(value)) {
			const str = value.toString(radix);
			return value < 0 ? "-" + prefix + str.substr(1) : prefix + str;
		}
		return stringifyNumber.stringifyNumber(node);
	}
	const intBin = {
		identify: intIdentify,
		default: true,
		tag: "tag:yaml.org,2002:int",
		format: "BIN",
		test: /^[-+]?0b[0-1_]+$/,
		resolve: (str, _onError, opt) => intResolve(str, 2, 2, opt),
		stringify: (node) => intStringify(node, 2, "0b")
	};
	const intOct = {
		identify: intIdentify,
		default: true,
		tag: "tag:yaml.org,2002:int",
		format: "OCT",
		test: /^[-+]?0[0-7_]+$/,
		resolve: (str, _onError, opt) => intResolve(str, 1, 8, opt),
		stringify: (node) => intStringify(node, 8, "0")
	};
	const int = {
		identify: intIdentify,
		default: true,
		tag: "tag:yaml.org,2002:int",
		test: /^[-+]?[0-9][0-9_]*$/,
		resolve: (str, _onError, opt) => intResolve(str, 0, 10, opt),
		stringify: stringifyNumber.stringifyNumber
	};
	const intHex = {
		identify: intIdentify,
		default: true,
		tag: "tag:yaml.org,2002:int",
		format: "HEX",
		test: /^[-+]?0x[0-9a-fA-F_]+$/,
		resolve: (str, _onError, opt) => intResolve(str, 2, 16, opt),
		stringify: (node) => intStringify(node, 16, "0x")
	};
	exports.int = int;
	exports.intBin = intBin;
	exports.intHex = intHex;
	exports.intOct = intOct;
}));
// node_modules/yaml/dist/schema/yaml-1.1/set.js
var require_set = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Pair = require_Pair();
	var YAMLMap = require_YAMLMap();
	var YAMLSet = class YAMLSet extends YAMLMap.YAMLMap {
		constructor(schema) {
			super(schema);
			this.tag = YAMLSet.tag;
		}
		add(key) {
			let pair;
			if (identity.isPair(key)) pair = key;
			else if (key && typeof key === "object" && "key" in key && "value" in key && key.value === null) pair = new Pair.Pair(key.key, null);
			else pair = new Pair.Pair(key, null);
			if (!YAMLMap.findPair(this.items, pair.key)) this.items.push(pair);
		}
		/**
		* If `keepPair` is `true`, returns the Pair matching `key`.
		* Otherwise, returns the value of that Pair's key.
		*/
		get(key, keepPair) {
			const pair = YAMLMap.findPair(this.items, key);
			return !keepPair && identity.isPair(pair) ? identity.isScalar(pair.key) ? pair.key.value : pair.key : pair;
		}
		set(key, value) {
			if (typeof value !== "boolean") throw new Error(`Expected boolean value for set(key, value) in a YAML set, not ${typeof value}`);
			const prev = YAMLMap.findPair(this.items, key);
			if (prev && !value) this.items.splice(this.items.indexOf(prev), 1);
			else if (!prev && value) this.items.push(new Pair.Pair(key));
		}
		toJSON(_, ctx) {
			return super.toJSON(_, ctx, Set);
		}
		toString(ctx, onComment, onChompKeep) {
			if (!ctx) return JSON.stringify(this);
			if (this.hasAllNullValues(true)) return super.toString(Object.assign({}, ctx, { allNullValues: true }), onComment, onChompKeep);
			else throw new Error("Set items must all have null values");
		}
		static from(schema, iterable, ctx) {
			const { replacer } = ctx;
			const set = new this(schema);
			if (iterable && Symbol.iterator in Object(iterable)) for (let value of iterable) {
				if (typeof replacer === "function") value = replacer.call(iterable, value, value);
				set.items.push(Pair.createPair(value, null, ctx));
			}
			return set;
		}
	};
	YAMLSet.tag = "tag:yaml.org,2002:set";
	const set = {
		collection: "map",
		identify: (value) => value instanceof Set,
		nodeClass: YAMLSet,
		default: false,
		tag: "tag:yaml.org,2002:set",
		createNode: (schema, iterable, ctx) => YAMLSet.from(schema, iterable, ctx),
		resolve(map, onError) {
			if (identity.isMap(map)) {
				if (map.hasAllNullValues(true)) return Object.assign(new YAMLSet(), map);
				else onError("Set items must all have null values");
			} else onError("Expected a mapping for this tag");
			return map;
		}
	};
	exports.YAMLSet = YAMLSet;
	exports.set = set;
}));
// node_modules/yaml/dist/schema/yaml-1.1/timestamp.js
var require_timestamp = /* @__PURE__ */ __commonJSMin(((exports) => {
	var stringifyNumber = require_stringifyNumber();
	/** Internal types handle bigint as number, because TS can't figure it out. */
	function parseSexagesimal(str, asBigInt) {
		const sign = str[0];
		const parts = sign === "-" || sign === "+" ? str.substring(1) : str;
		const num = (n) => asBigInt ? BigInt(n) : Number(n);
		const res = parts.replace(/_/g, "").split(":").reduce((res, p) => res * num(60) + num(p), num(0));
		return sign === "-" ? num(-1) * res : res;
	}
	/**
	* hhhh:mm:ss.sss
	*
	* Internal types handle bigint as number, because TS can't figure it out.
	*/
	function stringifySexagesimal(node) {
		let { value } = node;
		let num = (n) => n;
		if (typeof value === "bigint") num = (n) => BigInt(n);
		else if (isNaN(value) || !isFinite(value)) return stringifyNumber.stringifyNumber(node);
		let sign = "";
		if (value < 0) {
			sign = "-";
			value *= num(-1);
		}
		const _60 = num(60);
		const parts = [value % _60];
		if (value < 60) parts.unshift(0);
		else {
			value = (value - parts[0]) / _60;
			parts.unshift(value % _60);
			if (value >= 60) {
				value = (value - parts[0]) / _60;
				parts.unshift(value);
			}
		}
		return sign + parts.map((n) => String(n).padStart(2, "0")).join(":").replace(/000000\d*$/, "");
	}
	const intTime = {
		identify: (value) => typeof value === "bigint" || Number.isInteger(value),
		default: true,
		tag: "tag:yaml.org,2002:int",
		format: "TIME",
		test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+$/,
		resolve: (str, _onError, { intAsBigInt }) => parseSexagesimal(str, intAsBigInt),
		stringify: stringifySexagesimal
	};
	const floatTime = {
		identify: (value) => typeof value === "number",
		default: true,
		tag: "tag:yaml.org,2002:float",
		format: "TIME",
		test: /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*$/,
		resolve: (str) => parseSexagesimal(str, false),
		stringify: stringifySexagesimal
	};
	const timestamp = {
		identify: (value) => value instanceof Date,
		default: true,
		tag: "tag:yaml.org,2002:timestamp",
		test: RegExp("^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:t|T|[ \\t]+)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2}(\\.[0-9]+)?)(?:[ \\t]*(Z|[-+][012]?[0-9](?::[0-9]{2})?))?)?$"),
		resolve(str) {
			const match = str.match(timestamp.test);
			if (!match) throw new Error("!!timestamp expects a date, starting with yyyy-mm-dd");
			const [, year, month, day, hour, minute, second] = match.map(Number);
			const millisec = match[7] ? Number((match[7] + "00").substr(1, 3)) : 0;
			let date = Date.UTC(year, month - 1, day, hour || 0, minute || 0, second || 0, millisec);
			const tz = match[8];
			if (tz && tz !== "Z") {
				let d = parseSexagesimal(tz, false);
				if (Math.abs(d) < 30) d *= 60;
				date -= 6e4 * d;
			}
			return new Date(date);
		},
		stringify: ({ value }) => value?.toISOString().replace(/(T00:00:00)?\.000Z$/, "") ?? ""
	};
	exports.floatTime = floatTime;
	exports.intTime = intTime;
	exports.timestamp = timestamp;
}));
// node_modules/yaml/dist/schema/yaml-1.1/schema.js
var require_schema = /* @__PURE__ */ __commonJSMin(((exports) => {
	var map = require_map();
	var _null = require_null();
	var seq = require_seq();
	var string = require_string();
	var binary = require_binary();
	var bool = require_bool();
	var float = require_float();
	var int = require_int();
	var merge = require_merge();
	var omap = require_omap();
	var pairs = require_pairs();
	var set = require_set();
	var timestamp = require_timestamp();
	exports.schema = [
		map.map,
		seq.seq,
		string.string,
		_null.nullTag,
		bool.trueTag,
		bool.falseTag,
		int.intBin,
		int.intOct,
		int.int,
		int.intHex,
		float.floatNaN,
		float.floatExp,
		float.float,
		binary.binary,
		merge.merge,
		omap.omap,
		pairs.pairs,
		set.set,
		timestamp.intTime,
		timestamp.floatTime,
		timestamp.timestamp
	];
}));
// node_modules/yaml/dist/schema/tags.js
var require_tags = /* @__PURE__ */ __commonJSMin(((exports) => {
	var map = require_map();
	var _null = require_null();
	var seq = require_seq();
	var string = require_string();
	var bool = require_bool$1();
	var float = require_float$1();
	var int = require_int$1();
	var schema = require_schema$2();
	var schema$1 = require_schema$1();
	var binary = require_binary();
	var merge = require_merge();
	var omap = require_omap();
	var pairs = require_pairs();
	var schema$2 = require_schema();
	var set = require_set();
	var timestamp = require_timestamp();
	const schemas = /* @__PURE__ */ new Map([
		["core", schema.schema],
		["failsafe", [
			map.map,
			seq.seq,
			string.string
		]],
		["json", schema$1.schema],
		["yaml11", schema$2.schema],
		["yaml-1.1", schema$2.schema]
	]);
	const tagsByName = {
		binary: binary.binary,
		bool: bool.boolTag,
		float: float.float,
		floatExp: float.floatExp,
		floatNaN: float.floatNaN,
		floatTime: timestamp.floatTime,
		int: int.int,
		intHex: int.intHex,
		intOct: int.intOct,
		intTime: timestamp.intTime,
		map: map.map,
		merge: merge.merge,
		null: _null.nullTag,
		omap: omap.omap,
		pairs: pairs.pairs,
		seq: seq.seq,
		set: set.set,
		timestamp: timestamp.timestamp
	};
	const coreKnownTags = {
		"tag:yaml.org,2002:binary": binary.binary,
		"tag:yaml.org,2002:merge": merge.merge,
		"tag:yaml.org,2002:omap": omap.omap,
		"tag:yaml.org,2002:pairs": pairs.pairs,
		"tag:yaml.org,2002:set": set.set,
		"tag:yaml.org,2002:timestamp": timestamp.timestamp
	};
	function getTags(customTags, schemaName, addMergeTag) {
		const schemaTags = schemas.get(schemaName);
		if (schemaTags && !customTags) return addMergeTag && !schemaTags.includes(merge.merge) ? schemaTags.concat(merge.merge) : schemaTags.slice();
		let tags = schemaTags;
		if (!tags) {
			if (Array.isArray(customTags)) tags = [];
			else {
				const keys = Array.from(schemas.keys()).filter((key) => key !== "yaml11").map((key) => JSON.stringify(key)).join(", ");
				throw new Error(`Unknown schema "${schemaName}"; use one of ${keys} or define customTags array`);
			}
		}
		if (Array.isArray(customTags)) for (const tag of customTags) tags = tags.concat(tag);
		else if (typeof customTags === "function") tags = customTags(tags.slice());
		if (addMergeTag) tags = tags.concat(merge.merge);
		return tags.reduce((tags, tag) => {
			const tagObj = typeof tag === "string" ? tagsByName[tag] : tag;
			if (!tagObj) {
				const tagName = JSON.stringify(tag);
				const keys = Object.keys(tagsByName).map((key) => JSON.stringify(key)).join(", ");
				throw new Error(`Unknown custom tag ${tagName}; use one of ${keys}`);
			}
			if (!tags.includes(tagObj)) tags.push(tagObj);
			return tags;
		}, []);
	}
	exports.coreKnownTags = coreKnownTags;
	exports.getTags = getTags;
}));
// node_modules/yaml/dist/schema/Schema.js
var require_Schema = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var map = require_map();
	var seq = require_seq();
	var string = require_string();
	var tags = require_tags();
	const sortMapEntriesByKey = (a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
	exports.Schema = class Schema {
		constructor({ compat, customTags, merge, resolveKnownTags, schema, sortMapEntries, toStringDefaults }) {
			this.compat = Array.isArray(compat) ? tags.getTags(compat, "compat") : compat ? tags.getTags(null, compat) : null;
			this.name = typeof schema === "string" && schema || "core";
			this.knownTags = resolveKnownTags ? tags.coreKnownTags : {};
			this.tags = tags.getTags(customTags, this.name, merge);
			this.toStringOptions = toStringDefaults ?? null;
			Object.defineProperty(this, identity.MAP, { value: map.map });
			Object.defineProperty(this, identity.SCALAR, { value: string.string });
			Object.defineProperty(this, identity.SEQ, { value: seq.seq });
			this.sortMapEntries = typeof sortMapEntries === "function" ? sortMapEntries : sortMapEntries === true ? sortMapEntriesByKey : null;
		}
		clone() {
			const copy = Object.create(Schema.prototype, Object.getOwnPropertyDescriptors(this));
			copy.tags = this.tags.slice();
			return copy;
		}
	};
}));
// node_modules/yaml/dist/stringify/stringifyDocument.js
var require_stringifyDocument = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var stringify = require_stringify();
	var stringifyComment = require_stringifyComment();
	function stringifyDocument(doc, options) {
		const lines = [];
		let hasDirectives = options.directives === true;
		if (options.directives !== false && doc.directives) {
			const dir = doc.directives.toString(doc);
			if (dir) {
				lines.push(dir);
				hasDirectives = true;
			} else if (doc.directives.docStart) hasDirectives = true;
		}
		if (hasDirectives) lines.push("---");
		const ctx = stringify.createStringifyContext(doc, options);
		const { commentString } = ctx.options;
		if (doc.commentBefore) {
			if (lines.length !== 1) lines.unshift("");
			const cs = commentString(doc.commentBefore);
			lines.unshift(stringifyComment.indentComment(cs, ""));
		}
		let chompKeep = false;
		let contentComment = null;
		if (doc.contents) {
			if (identity.isNode(doc.contents)) {
				if (doc.contents.spaceBefore && hasDirectives) lines.push("");
				if (doc.contents.commentBefore) {
					const cs = commentString(doc.contents.commentBefore);
					lines.push(stringifyComment.indentComment(cs, ""));
				}
				ctx.forceBlockIndent = !!doc.comment;
				contentComment = doc.contents.comment;
			}
			const onChompKeep = contentComment ? void 0 : () => chompKeep = true;
			let body = stringify.stringify(doc.contents, ctx, () => contentComment = null, onChompKeep);
			if (contentComment) body += stringifyComment.lineComment(body, "", commentString(contentComment));
			if ((body[0] === "|" || body[0] === ">") && lines[lines.length - 1] === "---") lines[lines.length - 1] = `--- ${body}`;
			else lines.push(body);
		} else lines.push(stringify.stringify(doc.contents, ctx));
		if (doc.directives?.docEnd) {
			if (doc.comment) {
				const cs = commentString(doc.comment);
				if (cs.includes("\n")) {
					lines.push("...");
					lines.push(stringifyComment.indentComment(cs, ""));
				} else lines.push(`... ${cs}`);
			} else lines.push("...");
		} else {
			let dc = doc.comment;
			if (dc && chompKeep) dc = dc.replace(/^\n+/, "");
			if (dc) {
				if ((!chompKeep || contentComment) && lines[lines.length - 1] !== "") lines.push("");
				lines.push(stringifyComment.indentComment(commentString(dc), ""));
			}
		}
		return lines.join("\n") + "\n";
	}
	exports.stringifyDocument = stringifyDocument;
}));
// node_modules/yaml/dist/doc/Document.js
var require_Document = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Alias = require_Alias();
	var Collection = require_Collection();
	var identity = require_identity();
	var Pair = require_Pair();
	var toJS = require_toJS();
	var Schema = require_Schema();
	var stringifyDocument = require_stringifyDocument();
	var anchors = require_anchors();
	var applyReviver = require_applyReviver();
	var createNode = require_createNode();
	var directives = require_directives();
	var Document = class Document {
		constructor(value, replacer, options) {
			/** A comment before this Document */
			this.commentBefore = null;
			/** A comment immediately after this Document */
			this.comment = null;
			/** Errors encountered during parsing. */
			this.errors = [];
			/** Warnings encountered during parsing. */
			this.warnings = [];
			Object.defineProperty(this, identity.NODE_TYPE, { value: identity.DOC });
			let _replacer = null;
			if (typeof replacer === "function" || Array.isArray(replacer)) _replacer = replacer;
			else if (options === void 0 && replacer) {
				options = replacer;
				replacer = void 0;
			}
			const opt = Object.assign({
				intAsBigInt: false,
				keepSourceTokens: false,
				logLevel: "warn",
				prettyErrors: true,
				strict: true,
				stringKeys: false,
				uniqueKeys: true,
				version: "1.2"
			}, options);
			this.options = opt;
			let { version } = opt;
			if (options?._directives) {
				this.directives = options._directives.atDocument();
				if (this.directives.yaml.explicit) version = this.directives.yaml.version;
			} else this.directives = new directives.Directives({ version });
			this.setSchema(version, options);
			this.contents = value === void 0 ? null : this.createNode(value, _replacer, options);
		}
		/**
		* Create a deep copy of this Document and its contents.
		*
		* Custom Node values that inherit from `Object` still refer to their original instances.
		*/
		clone() {
			const copy = Object.create(Document.prototype, { [identity.NODE_TYPE]: { value: identity.DOC } });
			copy.commentBefore = this.commentBefore;
			copy.comment = this.comment;
			copy.errors = this.errors.slice();
			copy.warnings = this.warnings.slice();
			copy.options = Object.assign({}, this.options);
			if (this.directives) copy.directives = this.directives.clone();
			copy.schema = this.schema.clone();
			copy.contents = identity.isNode(this.contents) ? this.contents.clone(copy.schema) : this.contents;
			if (this.range) copy.range = this.range.slice();
			return copy;
		}
		/** Adds a value to the document. */
		add(value) {
			if (assertCollection(this.contents)) this.contents.add(value);
		}
		/** Adds a value to the document. */
		addIn(path, value) {
			if (assertCollection(this.contents)) this.contents.addIn(path, value);
		}
		/**
		* Create a new `Alias` node, ensuring that the target `node` has the required anchor.
		*
		* If `node` already has an anchor, `name` is ignored.
		* Otherwise, the `node.anchor` value will be set to `name`,
		* or if an anchor with that name is already present in the document,
		* `name` will be used as a prefix for a new unique anchor.
		* If `name` is undefined, the generated anchor will use 'a' as a prefix.
		*/
		createAlias(node, name) {
			if (!node.anchor) {
				const prev = anchors.anchorNames(this);
				node.anchor = !name || prev.has(name) ? anchors.findNewAnchor(name || "a", prev) : name;
			}
			return new Alias.Alias(node.anchor);
		}
		createNode(value, replacer, options) {
			let _replacer = void 0;
			if (typeof replacer === "function") {
				value = replacer.call({ "": value }, "", value);
				_replacer = replacer;
			} else if (Array.isArray(replacer)) {
				const keyToStr = (v) => typeof v === "number" || v instanceof String || v instanceof Number;
				const asStr = replacer.filter(keyToStr).map(String);
				if (asStr.length > 0) replacer = replacer.concat(asStr);
				_replacer = replacer;
			} else if (options === void 0 && replacer) {
				options = replacer;
				replacer = void 0;
			}
			const { aliasDuplicateObjects, anchorPrefix, flow, keepUndefined, onTagObj, tag } = options ?? {};
			const { onAnchor, setAnchors, sourceObjects } = anchors.createNodeAnchors(this, anchorPrefix || "a");
			const ctx = {
				aliasDuplicateObjects: aliasDuplicateObjects ?? true,
				keepUndefined: keepUndefined ?? false,
				onAnchor,
				onTagObj,
				replacer: _replacer,
				schema: this.schema,
				sourceObjects
			};
			const node = createNode.createNode(value, tag, ctx);
			if (flow && identity.isCollection(node)) node.flow = true;
			setAnchors();
			return node;
		}
		/**
		* Convert a key and a value into a `Pair` using the current schema,
		* recursively wrapping all values as `Scalar` or `Collection` nodes.
		*/
		createPair(key, value, options = {}) {
			const k = this.createNode(key, null, options);
			const v = this.createNode(value, null, options);
			return new Pair.Pair(k, v);
		}
		/**
		* Removes a value from the document.
		* @returns `true` if the item was found and removed.
		*/
		delete(key) {
			return assertCollection(this.contents) ? this.contents.delete(key) : false;
		}
		/**
		* Removes a value from the document.
		* @returns `true` if the item was found and removed.
		*/
		deleteIn(path) {
			if (Collection.isEmptyPath(path)) {
				if (this.contents == null) return false;
				this.contents = null;
				return true;
			}
			return assertCollection(this.contents) ? this.contents.deleteIn(path) : false;
		}
		/**
		* Returns item at `key`, or `undefined` if not found. By default unwraps
		* scalar values from their surrounding node; to disable set `keepScalar` to
		* `true` (collections are always returned intact).
		*/
		get(key, keepScalar) {
			return identity.isCollection(this.contents) ? this.contents.get(key, keepScalar) : void 0;
		}
		/**
		* Returns item at `path`, or `undefined` if not found. By default unwraps
		* scalar values from their surrounding node; to disable set `keepScalar` to
		* `true` (collections are always returned intact).
		*/
		getIn(path, keepScalar) {
			if (Collection.isEmptyPath(path)) return !keepScalar && identity.isScalar(this.contents) ? this.contents.value : this.contents;
			return identity.isCollection(this.contents) ? this.contents.getIn(path, keepScalar) : void 0;
		}
		/**
		* Checks if the document includes a value with the key `key`.
		*/
		has(key) {
			return identity.isCollection(this.contents) ? this.contents.has(key) : false;
		}
		/**
		* Checks if the document includes a value at `path`.
		*/
		hasIn(path) {
			if (Collection.isEmptyPath(path)) return this.contents !== void 0;
			return identity.isCollection(this.contents) ? this.contents.hasIn(path) : false;
		}
		/**
		* Sets a value in this document. For `!!set`, `value` needs to be a
		* boolean to add/remove the item from the set.
		*/
		set(key, value) {
			if (this.contents == null) this.contents = Collection.collectionFromPath(this.schema, [key], value);
			else if (assertCollection(this.contents)) this.contents.set(key, value);
		}
		/**
		* Sets a value in this document. For `!!set`, `value` needs to be a
		* boolean to add/remove the item from the set.
		*/
		setIn(path, value) {
			if (Collection.isEmptyPath(path)) this.contents = value;
			else if (this.contents == null) this.contents = Collection.collectionFromPath(this.schema, Array.from(path), value);
			else if (assertCollection(this.contents)) this.contents.setIn(path, value);
		}
		/**
		* Change the YAML version and schema used by the document.
		* A `null` version disables support for directives, explicit tags, anchors, and aliases.
		* It also requires the `schema` option to be given as a `Schema` instance value.
		*
		* Overrides all previously set schema options.
		*/
		setSchema(version, options = {}) {
			if (typeof version === "number") version = String(version);
			let opt;
			switch (version) {
				case "1.1":
					if (this.directives) this.directives.yaml.version = "1.1";
					else this.directives = new directives.Directives({ version: "1.1" });
					opt = {
						resolveKnownTags: false,
						schema: "yaml-1.1"
					};
					break;
				case "1.2":
				case "next":
					if (this.directives) this.directives.yaml.version = version;
					else this.directives = new directives.Directives({ version });
					opt = {
						resolveKnownTags: true,
						schema: "core"
					};
					break;
				case null:
					if (this.directives) delete this.directives;
					opt = null;
					break;
				default: {
					const sv = JSON.stringify(version);
					throw new Error(`Expected '1.1', '1.2' or null as first argument, but found: ${sv}`);
				}
			}
			if (options.schema instanceof Object) this.schema = options.schema;
			else if (opt) this.schema = new Schema.Schema(Object.assign(opt, options));
			else throw new Error(`With a null YAML version, the { schema: Schema } option is required`);
		}
		toJS({ json, jsonArg, mapAsMap, maxAliasCount, onAnchor, reviver } = {}) {
			const ctx = {
				anchors: /* @__PURE__ */ new Map(),
				doc: this,
				keep: !json,
				mapAsMap: mapAsMap === true,
				mapKeyWarned: false,
				maxAliasCount: typeof maxAliasCount === "number" ? maxAliasCount : 100
			};
			const res = toJS.toJS(this.contents, jsonArg ?? "", ctx);
			if (typeof onAnchor === "function") for (const { count, res } of ctx.anchors.values()) onAnchor(res, count);
			return typeof reviver === "function" ? applyReviver.applyReviver(reviver, { "": res }, "", res) : res;
		}
		/**
		* A JSON representation of the document `contents`.
		*
		* @param jsonArg Used by `JSON.stringify` to indicate the array index or
		*   property name.
		*/
		toJSON(jsonArg, onAnchor) {
			return this.toJS({
				json: true,
				jsonArg,
				mapAsMap: false,
				onAnchor
			});
		}
		/** A YAML representation of the document. */
		toString(options = {}) {
			if (this.errors.length > 0) throw new Error("Document with errors cannot be stringified");
			if ("indent" in options && (!Number.isInteger(options.indent) || Number(options.indent) <= 0)) {
				const s = JSON.stringify(options.indent);
				throw new Error(`"indent" option must be a positive integer, not ${s}`);
			}
			return stringifyDocument.stringifyDocument(this, options);
		}
	};
	function assertCollection(contents) {
		if (identity.isCollection(contents)) return true;
		throw new Error("Expected a YAML collection as document contents");
	}
	exports.Document = Document;
}));
// node_modules/yaml/dist/errors.js
var require_errors = /* @__PURE__ */ __commonJSMin(((exports) => {
	var YAMLError = class extends Error {
		constructor(name, pos, code, message) {
			super();
			this.name = name;
			this.code = code;
			this.message = message;
			this.pos = pos;
		}
	};
	var YAMLParseError = class extends YAMLError {
		constructor(pos, code, message) {
			super("YAMLParseError", pos, code, message);
		}
	};
	var YAMLWarning = class extends YAMLError {
		constructor(pos, code, message) {
			super("YAMLWarning", pos, code, message);
		}
	};
	const prettifyError = (src, lc) => (error) => {
		if (error.pos[0] === -1) return;
		error.linePos = error.pos.map((pos) => lc.linePos(pos));
		const { line, col } = error.linePos[0];
		error.message += ` at line ${line}, column ${col}`;
		let ci = col - 1;
		let lineStr = src.substring(lc.lineStarts[line - 1], lc.lineStarts[line]).replace(/[\n\r]+$/, "");
		if (ci >= 60 && lineStr.length > 80) {
			const trimStart = Math.min(ci - 39, lineStr.length - 79);
			lineStr = "…" + lineStr.substring(trimStart);
			ci -= trimStart - 1;
		}
		if (lineStr.length > 80) lineStr = lineStr.substring(0, 79) + "…";
		if (line > 1 && /^ *$/.test(lineStr.substring(0, ci))) {
			let prev = src.substring(lc.lineStarts[line - 2], lc.lineStarts[line - 1]);
			if (prev.length > 80) prev = prev.substring(0, 79) + "…\n";
			lineStr = prev + lineStr;
		}
		if (/[^ ]/.test(lineStr)) {
			let count = 1;
			const end = error.linePos[1];
			if (end?.line === line && end.col > col) count = Math.max(1, Math.min(end.col - col, 80 - ci));
			const pointer = " ".repeat(ci) + "^".repeat(count);
			error.message += `:\n\n${lineStr}\n${pointer}\n`;
		}
	};
	exports.YAMLError = YAMLError;
	exports.YAMLParseError = YAMLParseError;
	exports.YAMLWarning = YAMLWarning;
	exports.prettifyError = prettifyError;
}));
// node_modules/yaml/dist/compose/resolve-props.js
var require_resolve_props = /* @__PURE__ */ __commonJSMin(((exports) => {
	function resolveProps(tokens, { flow, indicator, next, offset, onError, parentIndent, startOnNewline }) {
		let spaceBefore = false;
		let atNewline = startOnNewline;
		let hasSpace = startOnNewline;
		let comment = "";
		let commentSep = "";
		let hasNewline = false;
		let reqSpace = false;
		let tab = null;
		let anchor = null;
		let tag = null;
		let newlineAfterProp = null;
		let comma = null;
		let found = null;
		let start = null;
		for (const token of tokens) {
			if (reqSpace) {
				if (token.type !== "space" && token.type !== "newline" && token.type !== "comma") onError(token.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
				reqSpace = false;
			}
			if (tab) {
				if (atNewline && token.type !== "comment" && token.type !== "newline") onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
				tab = null;
			}
			switch (token.type) {
				case "space":
					if (!flow && (indicator !== "doc-start" || next?.type !== "flow-collection") && token.source.includes("	")) tab = token;
					hasSpace = true;
					break;
				case "comment": {
					if (!hasSpace) onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
					const cb = token.source.substring(1) || " ";
					if (!comment) comment = cb;
					else comment += commentSep + cb;
					commentSep = "";
					atNewline = false;
					break;
				}
				case "newline":
					if (atNewline) {
						if (comment) comment += token.source;
						else if (!found || indicator !== "seq-item-ind") spaceBefore = true;
					} else commentSep += token.source;
					atNewline = true;
					hasNewline = true;
					if (anchor || tag) newlineAfterProp = token;
					hasSpace = true;
					break;
				case "anchor":
					if (anchor) onError(token, "MULTIPLE_ANCHORS", "A node can have at most one anchor");
					if (token.source.endsWith(":")) onError(token.offset + token.source.length - 1, "BAD_ALIAS", "Anchor ending in : is ambiguous", true);
					anchor = token;
					start ?? (start = token.offset);
					atNewline = false;
					hasSpace = false;
					reqSpace = true;
					break;
				case "tag":
					if (tag) onError(token, "MULTIPLE_TAGS", "A node can have at most one tag");
					tag = token;
					start ?? (start = token.offset);
					atNewline = false;
					hasSpace = false;
					reqSpace = true;
					break;
				case indicator:
					if (anchor || tag) onError(token, "BAD_PROP_ORDER", `Anchors and tags must be after the ${token.source} indicator`);
					if (found) onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.source} in ${flow ?? "collection"}`);
					found = token;
					atNewline = indicator === "seq-item-ind" || indicator === "explicit-key-ind";
					hasSpace = false;
					break;
				case "comma": if (flow) {
					if (comma) onError(token, "UNEXPECTED_TOKEN", `Unexpected , in ${flow}`);
					comma = token;
					atNewline = false;
					hasSpace = false;
					break;
				}
				default:
					onError(token, "UNEXPECTED_TOKEN", `Unexpected ${token.type} token`);
					atNewline = false;
					hasSpace = false;
			}
		}
		const last = tokens[tokens.length - 1];
		const end = last ? last.offset + last.source.length : offset;
		if (reqSpace && next && next.type !== "space" && next.type !== "newline" && next.type !== "comma" && (next.type !== "scalar" || next.source !== "")) onError(next.offset, "MISSING_CHAR", "Tags and anchors must be separated from the next token by white space");
		if (tab && (atNewline && tab.indent <= parentIndent || next?.type === "block-map" || next?.type === "block-seq")) onError(tab, "TAB_AS_INDENT", "Tabs are not allowed as indentation");
		return {
			comma,
			found,
			spaceBefore,
			comment,
			hasNewline,
			anchor,
			tag,
			newlineAfterProp,
			end,
			start: start ?? end
		};
	}
	exports.resolveProps = resolveProps;
}));
// node_modules/yaml/dist/compose/util-contains-newline.js
var require_util_contains_newline = /* @__PURE__ */ __commonJSMin(((exports) => {
	function containsNewline(key) {
		if (!key) return null;
		switch (key.type) {
			case "alias":
			case "scalar":
			case "double-quoted-scalar":
			case "single-quoted-scalar":
				if (key.source.includes("\n")) return true;
				if (key.end) {
					for (const st of key.end) if (st.type === "newline") return true;
				}
				return false;
			case "flow-collection":
				for (const it of key.items) {
					for (const st of it.start) if (st.type === "newline") return true;
					if (it.sep) {
						for (const st of it.sep) if (st.type === "newline") return true;
					}
					if (containsNewline(it.key) || containsNewline(it.value)) return true;
				}
				return false;
			default: return true;
		}
	}
	exports.containsNewline = containsNewline;
}));
// node_modules/yaml/dist/compose/util-flow-indent-check.js
var require_util_flow_indent_check = /* @__PURE__ */ __commonJSMin(((exports) => {
	var utilContainsNewline = require_util_contains_newline();
	function flowIndentCheck(indent, fc, onError) {
		if (fc?.type === "flow-collection") {
			const end = fc.end[0];
			if (end.indent === indent && (end.source === "]" || end.source === "}") && utilContainsNewline.containsNewline(fc)) onError(end, "BAD_INDENT", "Flow end indicator should be more indented than parent", true);
		}
	}
	exports.flowIndentCheck = flowIndentCheck;
}));
// node_modules/yaml/dist/compose/util-map-includes.js
var require_util_map_includes = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	function mapIncludes(ctx, items, search) {
		const { uniqueKeys } = ctx.options;
		if (uniqueKeys === false) return false;
		const isEqual = typeof uniqueKeys === "function" ? uniqueKeys : (a, b) => a === b || identity.isScalar(a) && identity.isScalar(b) && a.value === b.value;
		return items.some((pair) => isEqual(pair.key, search));
	}
	exports.mapIncludes = mapIncludes;
}));
// node_modules/yaml/dist/compose/resolve-block-map.js
var require_resolve_block_map = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Pair = require_Pair();
	var YAMLMap = require_YAMLMap();
	var resolveProps = require_resolve_props();
	var utilContainsNewline = require_util_contains_newline();
	var utilFlowIndentCheck = require_util_flow_indent_check();
	var utilMapIncludes = require_util_map_includes();
	const startColMsg = "All mapping items must start at the same column";
	function resolveBlockMap({ composeNode, composeEmptyNode }, ctx, bm, onError, tag) {
		const map = new ((tag?.nodeClass) ?? YAMLMap.YAMLMap)(ctx.schema);
		if (ctx.atRoot) ctx.atRoot = false;
		let offset = bm.offset;
		let commentEnd = null;
		for (const collItem of bm.items) {
			const { start, key, sep, value } = collItem;
			const keyProps = resolveProps.resolveProps(start, {
				indicator: "explicit-key-ind",
				next: key ?? sep?.[0],
				offset,
				onError,
				parentIndent: bm.indent,
				startOnNewline: true
			});
			const implicitKey = !keyProps.found;
			if (implicitKey) {
				if (key) {
					if (key.type === "block-seq") onError(offset, "BLOCK_AS_IMPLICIT_KEY", "A block sequence may not be used as an implicit map key");
					else if ("indent" in key && key.indent !== bm.indent) onError(offset, "BAD_INDENT", startColMsg);
				}
				if (!keyProps.anchor && !keyProps.tag && !sep) {
					commentEnd = keyProps.end;
					if (keyProps.comment) {
						if (map.comment) map.comment += "\n" + keyProps.comment;
						else map.comment = keyProps.comment;
					}
					continue;
				}
				if (keyProps.newlineAfterProp || utilContainsNewline.containsNewline(key)) onError(key ?? start[start.length - 1], "MULTILINE_IMPLICIT_KEY", "Implicit keys need to be on a single line");
			} else if (keyProps.found?.indent !== bm.indent) onError(offset, "BAD_INDENT", startColMsg);
			ctx.atKey = true;
			const keyStart = keyProps.end;
			const keyNode = key ? composeNode(ctx, key, keyProps, onError) : composeEmptyNode(ctx, keyStart, start, null, keyProps, onError);
			if (ctx.schema.compat) utilFlowIndentCheck.flowIndentCheck(bm.indent, key, onError);
			ctx.atKey = false;
			if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode)) onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
			const valueProps = resolveProps.resolveProps(sep ?? [], {
				indicator: "map-value-ind",
				next: value,
				offset: keyNode.range[2],
				onError,
				parentIndent: bm.indent,
				startOnNewline: !key || key.type === "block-scalar"
			});
			offset = valueProps.end;
			if (valueProps.found) {
				if (implicitKey) {
					if (value?.type === "block-map" && !valueProps.hasNewline) onError(offset, "BLOCK_AS_IMPLICIT_KEY", "Nested mappings are not allowed in compact mappings");
					if (ctx.options.strict && keyProps.start < valueProps.found.offset - 1024) onError(keyNode.range, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit block mapping key");
				}
				const valueNode = value ? composeNode(ctx, value, valueProps, onError) : composeEmptyNode(ctx, offset, sep, null, valueProps, onError);
				if (ctx.schema.compat) utilFlowIndentCheck.flowIndentCheck(bm.indent, value, onError);
				offset = valueNode.range[2];
				const pair = new Pair.Pair(keyNode, valueNode);
				if (ctx.options.keepSourceTokens) pair.srcToken = collItem;
				map.items.push(pair);
			} else {
				if (implicitKey) onError(keyNode.range, "MISSING_CHAR", "Implicit map keys need to be followed by map values");
				if (valueProps.comment) {
					if (keyNode.comment) keyNode.comment += "\n" + valueProps.comment;
					else keyNode.comment = valueProps.comment;
				}
				const pair = new Pair.Pair(keyNode);
				if (ctx.options.keepSourceTokens) pair.srcToken = collItem;
				map.items.push(pair);
			}
		}
		if (commentEnd && commentEnd < offset) onError(commentEnd, "IMPOSSIBLE", "Map comment with trailing content");
		map.range = [
			bm.offset,
			offset,
			commentEnd ?? offset
		];
		return map;
	}
	exports.resolveBlockMap = resolveBlockMap;
}));
// node_modules/yaml/dist/compose/resolve-block-seq.js
var require_resolve_block_seq = /* @__PURE__ */ __commonJSMin(((exports) => {
	var YAMLSeq = require_YAMLSeq();
	var resolveProps = require_resolve_props();
	var utilFlowIndentCheck = require_util_flow_indent_check();
	function resolveBlockSeq({ composeNode, composeEmptyNode }, ctx, bs, onError, tag) {
		const seq = new ((tag?.nodeClass) ?? YAMLSeq.YAMLSeq)(ctx.schema);
		if (ctx.atRoot) ctx.atRoot = false;
		if (ctx.atKey) ctx.atKey = false;
		let offset = bs.offset;
		let commentEnd = null;
		for (const { start, value } of bs.items) {
			const props = resolveProps.resolveProps(start, {
				indicator: "seq-item-ind",
				next: value,
				offset,
				onError,
				parentIndent: bs.indent,
				startOnNewline: true
			});
			if (!props.found) {
				if (props.anchor || props.tag || value) {
					if (value?.type === "block-seq") onError(props.end, "BAD_INDENT", "All sequence items must start at the same column");
					else onError(offset, "MISSING_CHAR", "Sequence item without - indicator");
				} else {
					commentEnd = props.end;
					if (props.comment) seq.comment = props.comment;
					continue;
				}
			}
			const node = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, start, null, props, onError);
			if (ctx.schema.compat) utilFlowIndentCheck.flowIndentCheck(bs.indent, value, onError);
			offset = node.range[2];
			seq.items.push(node);
		}
		seq.range = [
			bs.offset,
			offset,
			commentEnd ?? offset
		];
		return seq;
	}
	exports.resolveBlockSeq = resolveBlockSeq;
}));
// node_modules/yaml/dist/compose/resolve-end.js
var require_resolve_end = /* @__PURE__ */ __commonJSMin(((exports) => {
	function resolveEnd(end, offset, reqSpace, onError) {
		let comment = "";
		if (end) {
			let hasSpace = false;
			let sep = "";
			for (const token of end) {
				const { source, type } = token;
				switch (type) {
					case "space":
						hasSpace = true;
						break;
					case "comment": {
						if (reqSpace && !hasSpace) onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
						const cb = source.substring(1) || " ";
						if (!comment) comment = cb;
						else comment += sep + cb;
						sep = "";
						break;
					}
					case "newline":
						if (comment) sep += source;
						hasSpace = true;
						break;
					default: onError(token, "UNEXPECTED_TOKEN", `Unexpected ${type} at node end`);
				}
				offset += source.length;
			}
		}
		return {
			comment,
			offset
		};
	}
	exports.resolveEnd = resolveEnd;
}));
// node_modules/yaml/dist/compose/resolve-flow-collection.js
var require_resolve_flow_collection = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Pair = require_Pair();
	var YAMLMap = require_YAMLMap();
	var YAMLSeq = require_YAMLSeq();
	var resolveEnd = require_resolve_end();
	var resolveProps = require_resolve_props();
	var utilContainsNewline = require_util_contains_newline();
	var utilMapIncludes = require_util_map_includes();
	const blockMsg = "Block collections are not allowed within flow collections";
	const isBlock = (token) => token && (token.type === "block-map" || token.type === "block-seq");
	function resolveFlowCollection({ composeNode, composeEmptyNode }, ctx, fc, onError, tag) {
		const isMap = fc.start.source === "{";
		const fcName = isMap ? "flow map" : "flow sequence";
		const coll = new ((tag?.nodeClass) ?? (isMap ? YAMLMap.YAMLMap : YAMLSeq.YAMLSeq))(ctx.schema);
		coll.flow = true;
		const atRoot = ctx.atRoot;
		if (atRoot) ctx.atRoot = false;
		if (ctx.atKey) ctx.atKey = false;
		let offset = fc.offset + fc.start.source.length;
		for (let i = 0; i < fc.items.length; ++i) {
			const collItem = fc.items[i];
			const { start, key, sep, value } = collItem;
			const props = resolveProps.resolveProps(start, {
				flow: fcName,
				indicator: "explicit-key-ind",
				next: key ?? sep?.[0],
				offset,
				onError,
				parentIndent: fc.indent,
				startOnNewline: false
			});
			if (!props.found) {
				if (!props.anchor && !props.tag && !sep && !value) {
					if (i === 0 && props.comma) onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
					else if (i < fc.items.length - 1) onError(props.start, "UNEXPECTED_TOKEN", `Unexpected empty item in ${fcName}`);
					if (props.comment) {
						if (coll.comment) coll.comment += "\n" + props.comment;
						else coll.comment = props.comment;
					}
					offset = props.end;
					continue;
				}
				if (!isMap && ctx.options.strict && utilContainsNewline.containsNewline(key)) onError(key, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
			}
			if (i === 0) {
				if (props.comma) onError(props.comma, "UNEXPECTED_TOKEN", `Unexpected , in ${fcName}`);
			} else {
				if (!props.comma) onError(props.start, "MISSING_CHAR", `Missing , between ${fcName} items`);
				if (props.comment) {
					let prevItemComment = "";
					loop: for (const st of start) switch (st.type) {
						case "comma":
						case "space": break;
						case "comment":
							prevItemComment = st.source.substring(1);
							break loop;
						default: break loop;
					}
					if (prevItemComment) {
						let prev = coll.items[coll.items.length - 1];
						if (identity.isPair(prev)) prev = prev.value ?? prev.key;
						if (prev.comment) prev.comment += "\n" + prevItemComment;
						else prev.comment = prevItemComment;
						props.comment = props.comment.substring(prevItemComment.length + 1);
					}
				}
			}
			if (!isMap && !sep && !props.found) {
				const valueNode = value ? composeNode(ctx, value, props, onError) : composeEmptyNode(ctx, props.end, sep, null, props, onError);
				coll.items.push(valueNode);
				offset = valueNode.range[2];
				if (isBlock(value)) onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
			} else {
				ctx.atKey = true;
				const keyStart = props.end;
				const keyNode = key ? composeNode(ctx, key, props, onError) : composeEmptyNode(ctx, keyStart, start, null, props, onError);
				if (isBlock(key)) onError(keyNode.range, "BLOCK_IN_FLOW", blockMsg);
				ctx.atKey = false;
				const valueProps = resolveProps.resolveProps(sep ?? [], {
					flow: fcName,
					indicator: "map-value-ind",
					next: value,
					offset: keyNode.range[2],
					onError,
					parentIndent: fc.indent,
					startOnNewline: false
				});
				if (valueProps.found) {
					if (!isMap && !props.found && ctx.options.strict) {
						if (sep) for (const st of sep) {
							if (st === valueProps.found) break;
							if (st.type === "newline") {
								onError(st, "MULTILINE_IMPLICIT_KEY", "Implicit keys of flow sequence pairs need to be on a single line");
								break;
							}
						}
						if (props.start < valueProps.found.offset - 1024) onError(valueProps.found, "KEY_OVER_1024_CHARS", "The : indicator must be at most 1024 chars after the start of an implicit flow sequence key");
					}
				} else if (value) {
					if ("source" in value && value.source?.[0] === ":") onError(value, "MISSING_CHAR", `Missing space after : in ${fcName}`);
					else onError(valueProps.start, "MISSING_CHAR", `Missing , or : between ${fcName} items`);
				}
				const valueNode = value ? composeNode(ctx, value, valueProps, onError) : valueProps.found ? composeEmptyNode(ctx, valueProps.end, sep, null, valueProps, onError) : null;
				if (valueNode) {
					if (isBlock(value)) onError(valueNode.range, "BLOCK_IN_FLOW", blockMsg);
				} else if (valueProps.comment) {
					if (keyNode.comment) keyNode.comment += "\n" + valueProps.comment;
					else keyNode.comment = valueProps.comment;
				}
				const pair = new Pair.Pair(keyNode, valueNode);
				if (ctx.options.keepSourceTokens) pair.srcToken = collItem;
				if (isMap) {
					const map = coll;
					if (utilMapIncludes.mapIncludes(ctx, map.items, keyNode)) onError(keyStart, "DUPLICATE_KEY", "Map keys must be unique");
					map.items.push(pair);
				} else {
					const map = new YAMLMap.YAMLMap(ctx.schema);
					map.flow = true;
					map.items.push(pair);
					const endRange = (valueNode ?? keyNode).range;
					map.range = [
						keyNode.range[0],
						endRange[1],
						endRange[2]
					];
					coll.items.push(map);
				}
				offset = valueNode ? valueNode.range[2] : valueProps.end;
			}
		}
		const expectedEnd = isMap ? "}" : "]";
		const [ce, ...ee] = fc.end;
		let cePos = offset;
		if (ce?.source === expectedEnd) cePos = ce.offset + ce.source.length;
		else {
			const name = fcName[0].toUpperCase() + fcName.substring(1);
			const msg = atRoot ? `${name} must end with a ${expectedEnd}` : `${name} in block collection must be sufficiently indented and end with a ${expectedEnd}`;
			onError(offset, atRoot ? "MISSING_CHAR" : "BAD_INDENT", msg);
			if (ce && ce.source.length !== 1) ee.unshift(ce);
		}
		if (ee.length > 0) {
			const end = resolveEnd.resolveEnd(ee, cePos, ctx.options.strict, onError);
			if (end.comment) {
				if (coll.comment) coll.comment += "\n" + end.comment;
				else coll.comment = end.comment;
			}
			coll.range = [
				fc.offset,
				cePos,
				end.offset
			];
		} else coll.range = [
			fc.offset,
			cePos,
			cePos
		];
		return coll;
	}
	exports.resolveFlowCollection = resolveFlowCollection;
}));
// node_modules/yaml/dist/compose/compose-collection.js
var require_compose_collection = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Scalar = require_Scalar();
	var YAMLMap = require_YAMLMap();
	var YAMLSeq = require_YAMLSeq();
	var resolveBlockMap = require_resolve_block_map();
	var resolveBlockSeq = require_resolve_block_seq();
	var resolveFlowCollection = require_resolve_flow_collection();
	function resolveCollection(CN, ctx, token, onError, tagName, tag) {
		const coll = token.type === "block-map" ? resolveBlockMap.resolveBlockMap(CN, ctx, token, onError, tag) : token.type === "block-seq" ? resolveBlockSeq.resolveBlockSeq(CN, ctx, token, onError, tag) : resolveFlowCollection.resolveFlowCollection(CN, ctx, token, onError, tag);
		const Coll = coll.constructor;
		if (tagName === "!" || tagName === Coll.tagName) {
			coll.tag = Coll.tagName;
			return coll;
		}
		if (tagName) coll.tag = tagName;
		return coll;
	}
	function composeCollection(CN, ctx, token, props, onError) {
		const tagToken = props.tag;
		const tagName = !tagToken ? null : ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg));
		if (token.type === "block-seq") {
			const { anchor, newlineAfterProp: nl } = props;
			const lastProp = anchor && tagToken ? anchor.offset > tagToken.offset ? anchor : tagToken : anchor ?? tagToken;
			if (lastProp && (!nl || nl.offset < lastProp.offset)) onError(lastProp, "MISSING_CHAR", "Missing newline after block sequence props");
		}
		const expType = token.type === "block-map" ? "map" : token.type === "block-seq" ? "seq" : token.start.source === "{" ? "map" : "seq";
		if (!tagToken || !tagName || tagName === "!" || tagName === YAMLMap.YAMLMap.tagName && expType === "map" || tagName === YAMLSeq.YAMLSeq.tagName && expType === "seq") return resolveCollection(CN, ctx, token, onError, tagName);
		let tag = ctx.schema.tags.find((t) => t.tag === tagName && t.collection === expType);
		if (!tag) {
			const kt = ctx.schema.knownTags[tagName];
			if (kt?.collection === expType) {
				ctx.schema.tags.push(Object.assign({}, kt, { default: false }));
				tag = kt;
			} else {
				if (kt) onError(tagToken, "BAD_COLLECTION_TYPE", `${kt.tag} used for ${expType} collection, but expects ${kt.collection ?? "scalar"}`, true);
				else onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, true);
				return resolveCollection(CN, ctx, token, onError, tagName);
			}
		}
		const coll = resolveCollection(CN, ctx, token, onError, tagName, tag);
		const res = tag.resolve?.(coll, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg), ctx.options) ?? coll;
		const node = identity.isNode(res) ? res : new Scalar.Scalar(res);
		node.range = coll.range;
		node.tag = tagName;
		if (tag?.format) node.format = tag.format;
		return node;
	}
	exports.composeCollection = composeCollection;
}));
// node_modules/yaml/dist/compose/resolve-block-scalar.js
var require_resolve_block_scalar = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	function resolveBlockScalar(ctx, scalar, onError) {
		const start = scalar.offset;
		const header = parseBlockScalarHeader(scalar, ctx.options.strict, onError);
		if (!header) return {
			value: "",
			type: null,
			comment: "",
			range: [
				start,
				start,
				start
			]
		};
		const type = header.mode === ">" ? Scalar.Scalar.BLOCK_FOLDED : Scalar.Scalar.BLOCK_LITERAL;
		const lines = scalar.source ? splitLines(scalar.source) : [];
		let chompStart = lines.length;
		for (let i = lines.length - 1; i >= 0; --i) {
			const content = lines[i][1];
			if (content === "" || content === "\r") chompStart = i;
			else break;
		}
		if (chompStart === 0) {
			const value = header.chomp === "+" && lines.length > 0 ? "\n".repeat(Math.max(1, lines.length - 1)) : "";
			let end = start + header.length;
			if (scalar.source) end += scalar.source.length;
			return {
				value,
				type,
				comment: header.comment,
				range: [
					start,
					end,
					end
				]
			};
		}
		let trimIndent = scalar.indent + header.indent;
		let offset = scalar.offset + header.length;
		let contentStart = 0;
		for (let i = 0; i < chompStart; ++i) {
			const [indent, content] = lines[i];
			if (content === "" || content === "\r") {
				if (header.indent === 0 && indent.length > trimIndent) trimIndent = indent.length;
			} else {
				if (indent.length < trimIndent) onError(offset + indent.length, "MISSING_CHAR", "Block scalars with more-indented leading empty lines must use an explicit indentation indicator");
				if (header.indent === 0) trimIndent = indent.length;
				contentStart = i;
				if (trimIndent === 0 && !ctx.atRoot) onError(offset, "BAD_INDENT", "Block scalar values in collections must be indented");
				break;
			}
			offset += indent.length + content.length + 1;
		}
		for (let i = lines.length - 1; i >= chompStart; --i) if (lines[i][0].length > trimIndent) chompStart = i + 1;
		let value = "";
		let sep = "";
		let prevMoreIndented = false;
		for (let i = 0; i < contentStart; ++i) value += lines[i][0].slice(trimIndent) + "\n";
		for (let i = contentStart; i < chompStart; ++i) {
			let [indent, content] = lines[i];
			offset += indent.length + content.length + 1;
			const crlf = content[content.length - 1] === "\r";
			if (crlf) content = content.slice(0, -1);
			/* istanbul ignore if already caught in lexer */
			if (content && indent.length < trimIndent) {
				const message = `Block scalar lines must not be less indented than their ${header.indent ? "explicit indentation indicator" : "first line"}`;
				onError(offset - content.length - (crlf ? 2 : 1), "BAD_INDENT", message);
				indent = "";
			}
			if (type === Scalar.Scalar.BLOCK_LITERAL) {
				value += sep + indent.slice(trimIndent) + content;
				sep = "\n";
			} else if (indent.length > trimIndent || content[0] === "	") {
				if (sep === " ") sep = "\n";
				else if (!prevMoreIndented && sep === "\n") sep = "\n\n";
				value += sep + indent.slice(trimIndent) + content;
				sep = "\n";
				prevMoreIndented = true;
			} else if (content === "") {
				if (sep === "\n") value += "\n";
				else sep = "\n";
			} else {
				value += sep + content;
				sep = " ";
				prevMoreIndented = false;
			}
		}
		switch (header.chomp) {
			case "-": break;
			case "+":
				for (let i = chompStart; i < lines.length; ++i) value += "\n" + lines[i][0].slice(trimIndent);
				if (value[value.length - 1] !== "\n") value += "\n";
				break;
			default: value += "\n";
		}
		const end = start + header.length + scalar.source.length;
		return {
			value,
			type,
			comment: header.comment,
			range: [
				start,
				end,
				end
			]
		};
	}
	function parseBlockScalarHeader({ offset, props }, strict, onError) {
		/* istanbul ignore if should not happen */
		if (props[0].type !== "block-scalar-header") {
			onError(props[0], "IMPOSSIBLE", "Block scalar header not found");
			return null;
		}
		const { source } = props[0];
		const mode = source[0];
		let indent = 0;
		let chomp = "";
		let error = -1;
		for (let i = 1; i < source.length; ++i) {
			const ch = source[i];
			if (!chomp && (ch === "-" || ch === "+")) chomp = ch;
			else {
				const n = Number(ch);
				if (!indent && n) indent = n;
				else if (error === -1) error = offset + i;
			}
		}
		if (error !== -1) onError(error, "UNEXPECTED_TOKEN", `Block scalar header includes extra characters: ${source}`);
		let hasSpace = false;
		let comment = "";
		let length = source.length;
		for (let i = 1; i < props.length; ++i) {
			const token = props[i];
			switch (token.type) {
				case "space": hasSpace = true;
				case "newline":
					length += token.source.length;
					break;
				case "comment":
					if (strict && !hasSpace) onError(token, "MISSING_CHAR", "Comments must be separated from other tokens by white space characters");
					length += token.source.length;
					comment = token.source.substring(1);
					break;
				case "error":
					onError(token, "UNEXPECTED_TOKEN", token.message);
					length += token.source.length;
					break;
				/* istanbul ignore next should not happen */
				default: {
					onError(token, "UNEXPECTED_TOKEN", `Unexpected token in block scalar header: ${token.type}`);
					const ts = token.source;
					if (ts && typeof ts === "string") length += ts.length;
				}
			}
		}
		return {
			mode,
			indent,
			chomp,
			comment,
			length
		};
	}
	/** @returns Array of lines split up as `[indent, content]` */
	function splitLines(source) {
		const split = source.split(/\n( *)/);
		const first = split[0];
		const m = first.match(/^( *)/);
		const lines = [m?.[1] ? [m[1], first.slice(m[1].length)] : ["", first]];
		for (let i = 1; i < split.length; i += 2) lines.push([split[i], split[i + 1]]);
		return lines;
	}
	exports.resolveBlockScalar = resolveBlockScalar;
}));
// node_modules/yaml/dist/compose/resolve-flow-scalar.js
var require_resolve_flow_scalar = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Scalar = require_Scalar();
	var resolveEnd = require_resolve_end();
	function resolveFlowScalar(scalar, strict, onError) {
		const { offset, type, source, end } = scalar;
		let _type;
		let value;
		const _onError = (rel, code, msg) => onError(offset + rel, code, msg);
		switch (type) {
			case "scalar":
				_type = Scalar.Scalar.PLAIN;
				value = plainValue(source, _onError);
				break;
			case "single-quoted-scalar":
				_type = Scalar.Scalar.QUOTE_SINGLE;
				value = singleQuotedValue(source, _onError);
				break;
			case "double-quoted-scalar":
				_type = Scalar.Scalar.QUOTE_DOUBLE;
				value = doubleQuotedValue(source, _onError);
				break;
			/* istanbul ignore next should not happen */
			default:
				onError(scalar, "UNEXPECTED_TOKEN", `Expected a flow scalar value, but found: ${type}`);
				return {
					value: "",
					type: null,
					comment: "",
					range: [
						offset,
						offset + source.length,
						offset + source.length
					]
				};
		}
		const valueEnd = offset + source.length;
		const re = resolveEnd.resolveEnd(end, valueEnd, strict, onError);
		return {
			value,
			type: _type,
			comment: re.comment,
			range: [
				offset,
				valueEnd,
				re.offset
			]
		};
	}
	function plainValue(source, onError) {
		let badChar = "";
		switch (source[0]) {
			/* istanbul ignore next should not happen */
			case "	":
				badChar = "a tab character";
				break;
			case ",":
				badChar = "flow indicator character ,";
				break;
			case "%":
				badChar = "directive indicator character %";
				break;
			case "|":
			case ">":
				badChar = `block scalar indicator ${source[0]}`;
				break;
			case "@":
			case "`": badChar = `reserved character ${source[0]}`;
		}
		if (badChar) onError(0, "BAD_SCALAR_START", `Plain value cannot start with ${badChar}`);
		return unfoldLines(source);
	}
	function singleQuotedValue(source, onError) {
		if (source[source.length - 1] !== "'" || source.length === 1) onError(source.length, "MISSING_CHAR", "Missing closing 'quote");
		return unfoldLines(source.slice(1, -1)).replace(/''/g, "'");
	}
	function unfoldLines(source) {
		const line = /(.*?)\r?\n/sy;
		let match = line.exec(source);
		if (!match) return source;
		/**
		* The negative lookbehinds in these RegExps are to
		* prevent causing a polynomial search time in certain cases.
		*
		* The try-catch is for Safari < 16.4 and other old browsers:
		* https://caniuse.com/js-regexp-lookbehind
		*/
		let trimEnd, trimBoth;
		try {
			trimEnd = new RegExp("(?<![ 	])[ 	]+$");
			trimBoth = new RegExp("^[ 	]+|(?<![ 	])[ 	]+$", "g");
		} catch {
			trimEnd = /[ \t]+$/;
			trimBoth = /^[ \t]+|[ \t]+$/g;
		}
		let res = match[1].replace(trimEnd, "");
		let sep = " ";
		let pos = line.lastIndex;
		while (match = line.exec(source)) {
			const lm = match[1].replace(trimBoth, "");
			if (lm === "") {
				if (sep === "\n") res += sep;
				else sep = "\n";
			} else {
				res += sep + lm;
				sep = " ";
			}
			pos = line.lastIndex;
		}
		const last = /[ \t]*(.*)/sy;
		last.lastIndex = pos;
		match = last.exec(source);
		return res + sep + (match?.[1] ?? "");
	}
	function doubleQuotedValue(source, onError) {
		let res = "";
		for (let i = 1; i < source.length - 1; ++i) {
			const ch = source[i];
			if (ch === "\r" && source[i + 1] === "\n") continue;
			if (ch === "\n") {
				const { fold, offset } = foldNewline(source, i);
				res += fold;
				i = offset;
			} else if (ch === "\\") {
				let next = source[++i];
				const cc = escapeCodes[next];
				if (cc) res += cc;
				else if (next === "\n") {
					next = source[i + 1];
					while (next === " " || next === "	") next = source[++i + 1];
				} else if (next === "\r" && source[i + 1] === "\n") {
					next = source[++i + 1];
					while (next === " " || next === "	") next = source[++i + 1];
				} else if (next === "x" || next === "u" || next === "U") {
					const length = next === "x" ? 2 : next === "u" ? 4 : 8;
					res += parseCharCode(source, i + 1, length, onError);
					i += length;
				} else {
					const raw = source.substr(i - 1, 2);
					onError(i - 1, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
					res += raw;
				}
			} else if (ch === " " || ch === "	") {
				const wsStart = i;
				let next = source[i + 1];
				while (next === " " || next === "	") next = source[++i + 1];
				if (next !== "\n" && !(next === "\r" && source[i + 2] === "\n")) res += i > wsStart ? source.slice(wsStart, i + 1) : ch;
			} else res += ch;
		}
		if (source[source.length - 1] !== "\"" || source.length === 1) onError(source.length, "MISSING_CHAR", "Missing closing \"quote");
		return res;
	}
	/**
	* Fold a single newline into a space, multiple newlines to N - 1 newlines.
	* Presumes `source[offset] === '\n'`
	*/
	function foldNewline(source, offset) {
		let fold = "";
		let ch = source[offset + 1];
		while (ch === " " || ch === "	" || ch === "\n" || ch === "\r") {
			if (ch === "\r" && source[offset + 2] !== "\n") break;
			if (ch === "\n") fold += "\n";
			offset += 1;
			ch = source[offset + 1];
		}
		if (!fold) fold = " ";
		return {
			fold,
			offset
		};
	}
	const escapeCodes = {
		"0": "\0",
		a: "\x07",
		b: "\b",
		e: "\x1B",
		f: "\f",
		n: "\n",
		r: "\r",
		t: "	",
		v: "\v",
		N: "",
		_: "\xA0",
		L: "\u2028",
		P: "\u2029",
		" ": " ",
		"\"": "\"",
		"/": "/",
		"\\": "\\",
		"	": "	"
	};
	function parseCharCode(source, offset, length, onError) {
		const cc = source.substr(offset, length);
		const code = cc.length === length && /^[0-9a-fA-F]+$/.test(cc) ? parseInt(cc, 16) : NaN;
		try {
			return String.fromCodePoint(code);
		} catch {
			const raw = source.substr(offset - 2, length + 2);
			onError(offset - 2, "BAD_DQ_ESCAPE", `Invalid escape sequence ${raw}`);
			return raw;
		}
	}
	exports.resolveFlowScalar = resolveFlowScalar;
}));
// node_modules/yaml/dist/compose/compose-scalar.js
var require_compose_scalar = /* @__PURE__ */ __commonJSMin(((exports) => {
	var identity = require_identity();
	var Scalar = require_Scalar();
	var resolveBlockScalar = require_resolve_block_scalar();
	var resolveFlowScalar = require_resolve_flow_scalar();
	function composeScalar(ctx, token, tagToken, onError) {
		const { value, type, comment, range } = token.type === "block-scalar" ? resolveBlockScalar.resolveBlockScalar(ctx, token, onError) : resolveFlowScalar.resolveFlowScalar(token, ctx.options.strict, onError);
		const tagName = tagToken ? ctx.directives.tagName(tagToken.source, (msg) => onError(tagToken, "TAG_RESOLVE_FAILED", msg)) : null;
		let tag;
		if (ctx.options.stringKeys && ctx.atKey) tag = ctx.schema[identity.SCALAR];
		else if (tagName) tag = findScalarTagByName(ctx.schema, value, tagName, tagToken, onError);
		else if (token.type === "scalar") tag = findScalarTagByTest(ctx, value, token, onError);
		else tag = ctx.schema[identity.SCALAR];
		let scalar;
		try {
			const res = tag.resolve(value, (msg) => onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg), ctx.options);
			scalar = identity.isScalar(res) ? res : new Scalar.Scalar(res);
		} catch (error) {
			const msg = error instanceof Error ? error.message : String(error);
			onError(tagToken ?? token, "TAG_RESOLVE_FAILED", msg);
			scalar = new Scalar.Scalar(value);
		}
		scalar.range = range;
		scalar.source = value;
		if (type) scalar.type = type;
		if (tagName) scalar.tag = tagName;
		if (tag.format) scalar.format = tag.format;
		if (comment) scalar.comment = comment;
		return scalar;
	}
	function findScalarTagByName(schema, value, tagName, tagToken, onError) {
		if (tagName === "!") return schema[identity.SCALAR];
		const matchWithTest = [];
		for (const tag of schema.tags) if (!tag.collection && tag.tag === tagName) {
			if (tag.default && tag.test) matchWithTest.push(tag);
			else return tag;
		}
		for (const tag of matchWithTest) if (tag.test?.test(value)) return tag;
		const kt = schema.knownTags[tagName];
		if (kt && !kt.collection) {
			schema.tags.push(Object.assign({}, kt, {
				default: false,
				test: void 0
			}));
			return kt;
		}
		onError(tagToken, "TAG_RESOLVE_FAILED", `Unresolved tag: ${tagName}`, tagName !== "tag:yaml.org,2002:str");
		return schema[identity.SCALAR];
	}
	function findScalarTagByTest({ atKey, directives, schema }, value, token, onError) {
		const tag = schema.tags.find((tag) => (tag.default === true || atKey && tag.default === "key") && tag.test?.test(value)) || schema[identity.SCALAR];
		if (schema.compat) {
			const compat = schema.compat.find((tag) => tag.default && tag.test?.test(value)) ?? schema[identity.SCALAR];
			if (tag.tag !== compat.tag) onError(token, "TAG_RESOLVE_FAILED", `Value may be parsed as either ${directives.tagString(tag.tag)} or ${directives.tagString(compat.tag)}`, true);
		}
		return tag;
	}
	exports.composeScalar = composeScalar;
}));
// node_modules/yaml/dist/compose/util-empty-scalar-position.js
var require_util_empty_scalar_position = /* @__PURE__ */ __commonJSMin(((exports) => {
	function emptyScalarPosition(offset, before, pos) {
		if (before) {
			pos ?? (pos = before.length);
			for (let i = pos - 1; i >= 0; --i) {
				let st = before[i];
				switch (st.type) {
					case "space":
					case "comment":
					case "newline":
						offset -= st.source.length;
						continue;
				}
				st = before[++i];
				while (st?.type === "space") {
					offset += st.source.length;
					st = before[++i];
				}
				break;
			}
		}
		return offset;
	}
	exports.emptyScalarPosition = emptyScalarPosition;
}));
// node_modules/yaml/dist/compose/compose-node.js
var require_compose_node = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Alias = require_Alias();
	var identity = require_identity();
	var composeCollection = require_compose_collection();
	var composeScalar = require_compose_scalar();
	var resolveEnd = require_resolve_end();
	var utilEmptyScalarPosition = require_util_empty_scalar_position();
	const CN = {
		composeNode,
		composeEmptyNode
	};
	function composeNode(ctx, token, props, onError) {
		const atKey = ctx.atKey;
		const { spaceBefore, comment, anchor, tag } = props;
		let node;
		let isSrcToken = true;
		switch (token.type) {
			case "alias":
				node = composeAlias(ctx, token, onError);
				if (anchor || tag) onError(token, "ALIAS_PROPS", "An alias node must not specify any properties");
				break;
			case "scalar":
			case "single-quoted-scalar":
			case "double-quoted-scalar":
			case "block-scalar":
				node = composeScalar.composeScalar(ctx, token, tag, onError);
				if (anchor) node.anchor = anchor.source.substring(1);
				break;
			case "block-map":
			case "block-seq":
			case "flow-collection":
				try {
					node = composeCollection.composeCollection(CN, ctx, token, props, onError);
					if (anchor) node.anchor = anchor.source.substring(1);
				} catch (error) {
					onError(token, "RESOURCE_EXHAUSTION", error instanceof Error ? error.message : String(error));
				}
				break;
			default:
				onError(token, "UNEXPECTED_TOKEN", token.type === "error" ? token.message : `Unsupported token (type: ${token.type})`);
				isSrcToken = false;
		}
		node ?? (node = composeEmptyNode(ctx, token.offset, void 0, null, props, onError));
		if (anchor && node.anchor === "") onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
		if (atKey && ctx.options.stringKeys && (!identity.isScalar(node) || typeof node.value !== "string" || node.tag && node.tag !== "tag:yaml.org,2002:str")) onError(tag ?? token, "NON_STRING_KEY", "With stringKeys, all keys must be strings");
		if (spaceBefore) node.spaceBefore = true;
		if (comment) {
			if (token.type === "scalar" && token.source === "") node.comment = comment;
			else node.commentBefore = comment;
		}
		if (ctx.options.keepSourceTokens && isSrcToken) node.srcToken = token;
		return node;
	}
	function composeEmptyNode(ctx, offset, before, pos, { spaceBefore, comment, anchor, tag, end }, onError) {
		const token = {
			type: "scalar",
			offset: utilEmptyScalarPosition.emptyScalarPosition(offset, before, pos),
			indent: -1,
			source: ""
		};
		const node = composeScalar.composeScalar(ctx, token, tag, onError);
		if (anchor) {
			node.anchor = anchor.source.substring(1);
			if (node.anchor === "") onError(anchor, "BAD_ALIAS", "Anchor cannot be an empty string");
		}
		if (spaceBefore) node.spaceBefore = true;
		if (comment) {
			node.comment = comment;
			node.range[2] = end;
		}
		return node;
	}
	function composeAlias({ options }, { offset, source, end }, onError) {
		const alias = new Alias.Alias(source.substring(1));
		if (alias.source === "") onError(offset, "BAD_ALIAS", "Alias cannot be an empty string");
		if (alias.source.endsWith(":")) onError(offset + source.length - 1, "BAD_ALIAS", "Alias ending in : is ambiguous", true);
		const valueEnd = offset + source.length;
		const re = resolveEnd.resolveEnd(end, valueEnd, options.strict, onError);
		alias.range = [
			offset,
			valueEnd,
			re.offset
		];
		if (re.comment) alias.comment = re.comment;
		return alias;
	}
	exports.composeEmptyNode = composeEmptyNode;
	exports.composeNode = composeNode;
}));
// node_modules/yaml/dist/compose/compose-doc.js
var require_compose_doc = /* @__PURE__ */ __commonJSMin(((exports) => {
	var Document = require_Document();
	var composeNode = require_compose_node();
	var resolveEnd = require_resolve_end();
	var resolveProps = require_resolve_props();
	function composeDoc(options, directives, { offset, start, value, end }, onError) {
		const opts = Object.assign({ _directives: directives }, options);
		const doc = new Document.Document(void 0, opts);
		const ctx = {
			atKey: false,
			atRoot: true,
			directives: doc.directives,
			options: doc.options,
			schema: doc.schema
		};
		const props = resolveProps.resolveProps(start, {
			indicator: "doc-start",
			next: value ?? end?.[0],
			offset,
			onError,
			parentIndent: 0,
			startOnNewline: true
		});
		if (props.found) {
			doc.directives.docStart = true;
			if (value && (value.type === "block-map" || value.type === "block-seq") && !props.hasNewline) onError(props.end, "MISSING_CHAR", "Block collection cannot start on same line with directives-end marker");
		}
		doc.contents = value ? composeNode.composeNode(ctx, value, props, onError) : composeNode.composeEmptyNode(ctx, props.end, start, null, props, onError);
		const contentEnd = doc.contents.range[2];
		const re = resolveEnd.resolveEnd(end, contentEnd, false, onError);
		if (re.comment) doc.comment = re.comment;
		doc.range = [
			offset,
			contentEnd,
			re.offset
		];
		return doc;
	}
	exports.composeDoc = composeDoc;
}));
// node_modules/yaml/dist/compose/composer.js
var require_composer = /* @__PURE__ */ __commonJSMin(((exports) => {
	var node_process = __require("process");
	var directives = require_directives();
	var Document = require_Document();
	var errors = require_errors();
	var identity = require_identity();
	var composeDoc = require_compose_doc();
	var resolveEnd = require_resolve_end();
	function getErrorPos(src) {
		if (typeof src === "number") return [src, src + 1];
		if (Array.isArray(src)) return src.length === 2 ? src : [src[0], src[1]];
		const { offset, source } = src;
		return [offset, offset + (typeof source === "string" ? source.length : 1)];
	}
	function parsePrelude(prelude) {
		let comment = "";
		let atComment = false;
		let afterEmptyLine = false;
		for (let i = 0; i < prelude.length; ++i) {
			const source = prelude[i];
			switch (source[0]) {
				case "#":
					comment += (comment === "" ? "" : afterEmptyLine ? "\n\n" : "\n") + (source.substring(1) || " ");
					atComment = true;
					afterEmptyLine = false;
					break;
				case "%":
					if (prelude[i + 1]?.[0] !== "#") i += 1;
					atComment = false;
					break;
				default:
					if (!atComment) afterEmptyLine = true;
					atComment = false;
			}
		}
		return {
			comment,
			afterEmptyLine
		};
	}
	/**
	* Compose a stream of CST nodes into a stream of YAML Documents.
	*
	* ```ts
	* import { Composer, Parser } from 'yaml'
	*
	* const src: string = ...
	* const tokens = new Parser().parse(src)
	* const docs = new Composer().compose(tokens)
	* ```
	*/
	var Composer = class {
		constructor(options = {}) {
			this.doc = null;
			this.atDirectives = false;
			this.prelude = [];
			this.errors = [];
			this.warnings = [];
			this.onError = (source, code, message, warning) => {
				const pos = getErrorPos(source);
				if (warning) this.warnings.push(new errors.YAMLWarning(pos, code, message));
				else this.errors.push(new errors.YAMLParseError(pos, code, message));
			};
			this.directives = new directives.Directives({ version: options.version || "1.2" });
			this.options = options;
		}
		decorate(doc, afterDoc) {
			const { comment, afterEmptyLine } = parsePrelude(this.prelude);
			if (comment) {
				const dc = doc.contents;
				if (afterDoc) doc.comment = doc.comment ? `${doc.comment}\n${comment}` : comment;
				else if (afterEmptyLine || doc.directives.docStart || !dc) doc.commentBefore = comment;
				else if (identity.isCollection(dc) && !dc.flow && dc.items.length > 0) {
					let it = dc.items[0];
					if (identity.isPair(it)) it = it.key;
					const cb = it.commentBefore;
					it.commentBefore = cb ? `${comment}\n${cb}` : comment;
				} else {
					const cb = dc.commentBefore;
					dc.commentBefore = cb ? `${comment}\n${cb}` : comment;
				}
			}
			if (afterDoc) {
				for (let i = 0; i < this.errors.length; ++i) doc.errors.push(this.errors[i]);
				for (let i = 0; i < this.warnings.length; ++i) doc.warnings.push(this.warnings[i]);
			} else {
				doc.errors = this.errors;
				doc.warnings = this.warnings;
			}
			this.prelude = [];
			this.errors = [];
			this.warnings = [];
		}
		/**
		* Current stream status information.
		*
		* Mostly useful at the end of input for an empty stream.
		*/
		streamInfo() {
			return {
				comment: parsePrelude(this.prelude).comment,
				directives: this.directives,
				errors: this.errors,
				warnings: this.warnings
			};
		}
		/**
		* Compose tokens into documents.
		*
		* @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
		* @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
		*/
		*compose(tokens, forceDoc = false, endOffset = -1) {
			for (const token of tokens) yield* this.next(token);
			yield* this.end(forceDoc, endOffset);
		}
		/** Advance the composer by one CST token. */
		*next(token) {
			if (node_process.env.LOG_STREAM) console.dir(token, { depth: null });
			switch (token.type) {
				case "directive":
					this.directives.add(token.source, (offset, message, warning) => {
						const pos = getErrorPos(token);
						pos[0] += offset;
						this.onError(pos, "BAD_DIRECTIVE", message, warning);
					});
					this.prelude.push(token.source);
					this.atDirectives = true;
					break;
				case "document": {
					const doc = composeDoc.composeDoc(this.options, this.directives, token, this.onError);
					if (this.atDirectives && !doc.directives.docStart) this.onError(token, "MISSING_CHAR", "Missing directives-end/doc-start indicator line");
					this.decorate(doc, false);
					if (this.doc) yield this.doc;
					this.doc = doc;
					this.atDirectives = false;
					break;
				}
				case "byte-order-mark":
				case "space": break;
				case "comment":
				case "newline":
					this.prelude.push(token.source);
					break;
				case "error": {
					const msg = token.source ? `${token.message}: ${JSON.stringify(token.source)}` : token.message;
					const error = new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", msg);
					if (this.atDirectives || !this.doc) this.errors.push(error);
					else this.doc.errors.push(error);
					break;
				}
				case "doc-end": {
					if (!this.doc) {
						this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", "Unexpected doc-end without preceding document"));
						break;
					}
					this.doc.directives.docEnd = true;
					const end = resolveEnd.resolveEnd(token.end, token.offset + token.source.length, this.doc.options.strict, this.onError);
					this.decorate(this.doc, true);
					if (end.comment) {
						const dc = this.doc.comment;
						this.doc.comment = dc ? `${dc}\n${end.comment}` : end.comment;
					}
					this.doc.range[2] = end.offset;
					break;
				}
				default: this.errors.push(new errors.YAMLParseError(getErrorPos(token), "UNEXPECTED_TOKEN", `Unsupported token ${token.type}`));
			}
		}
		/**
		* Call at end of input to yield any remaining document.
		*
		* @param forceDoc - If the stream contains no document, still emit a final document including any comments and directives that would be applied to a subsequent document.
		* @param endOffset - Should be set if `forceDoc` is also set, to set the document range end and to indicate errors correctly.
		*/
		*end(forceDoc = false, endOffset = -1) {
			if (this.doc) {
				this.decorate(this.doc, true);
				yield this.doc;
				this.doc = null;
			} else if (forceDoc) {
				const opts = Object.assign({ _directives: this.directives }, this.options);
				const doc = new Document.Document(void 0, opts);
				if (this.atDirectives) this.onError(endOffset, "MISSING_CHAR", "Missing directives-end indicator line");
				doc.range = [
					0,
					endOffset,
					endOffset
				];
				this.decorate(doc, false);
				yield doc;
			}
		}
	};
	exports.Composer = Composer;
}));
// node_modules/yaml/dist/parse/cst-scalar.js
var require_cst_scalar = /* @__PURE__ */ __commonJSMin(((exports) => {
	var resolveBlockScalar = require_resolve_block_scalar();
	var resolveFlowScalar = require_resolve_flow_scalar();
	var errors = require_errors();
	var stringifyString = require_stringifyString();
	function resolveAsScalar(token, strict = true, onError) {
		if (token) {
			const _onError = (pos, code, message) => {
				const offset = typeof pos === "number" ? pos : Array.isArray(pos) ? pos[0] : pos.offset;
				if (onError) onError(offset, code, message);
				else throw new errors.YAMLParseError([offset, offset + 1], code, message);
			};
			switch (token.type) {
				case "scalar":
				case "single-quoted-scalar":
				case "double-quoted-scalar": return resolveFlowScalar.resolveFlowScalar(token, strict, _onError);
				case "block-scalar": return resolveBlockScalar.resolveBlockScalar({ options: { strict } }, token, _onError);
			}
		}
		return null;
	}
	/**
	* Create a new scalar token with `value`
	*
	* Values that represent an actual string but may be parsed as a different type should use a `type` other than `'PLAIN'`,
	* as this function does not support any schema operations and won't check for such conflicts.
	*
	* @param value The string representation of the value, which will have its content properly indented.
	* @param context.end Comments and whitespace after the end of the value, or after the block scalar header. If undefined, a newline will be added.
	* @param context.implicitKey Being within an implicit key may affect the resolved type of the token's value.
	* @param context.indent The indent level of the token.
	* @param context.inFlow Is this scalar within a flow collection? This may affect the resolved type of the token's value.
	* @param context.offset The offset position of the token.
	* @param context.type The preferred type of the scalar token. If undefined, the previous type of the `token` will be used, defaulting to `'PLAIN'`.
	*/
	function createScalarToken(value, context) {
		const { implicitKey = false, indent, inFlow = false, offset = -1, type = "PLAIN" } = context;
		const source = stringifyString.stringifyString({
			type,
			value
		}, {
			implicitKey,
			indent: indent > 0 ? " ".repeat(indent) : "",
			inFlow,
			options: {
				blockQuote: true,
				lineWidth: -1
			}
		});
		const end = context.end ?? [{
			type: "newline",
			offset: -1,
			indent,
			source: "\n"
		}];
		switch (source[0]) {
			case "|":
			case ">": {
				const he = source.indexOf("\n");
				const head = source.substring(0, he);
				const body = source.substring(he + 1) + "\n";
				const props = [{
					type: "block-scalar-header",
					offset,
					indent,
					source: head
				}];
				if (!addEndtoBlockProps(props, end)) props.push({
					type: "newline",
					offset: -1,
					indent,
					source: "\n"
				});
				return {
					type: "block-scalar",
					offset,
					indent,
					props,
					source: body
				};
			}
			case "\"": return {
				type: "double-quoted-scalar",
				offset,
				indent,
				source,
				end
			};
			case "'": return {
				type: "single-quoted-scalar",
				offset,
				indent,
				source,
				end
			};
			default: return {
				type: "scalar",
				offset,
				indent,
				source,
				end
			};
		}
	}
	/**
	* Set the value of `token` to the given string `value`, overwriting any previous contents and type that it may have.
	*
	* Best efforts are made to retain any comments previously associated with the `token`,
	* though all contents within a collection's `items` will be overwritten.
	*
	* Values that represent an actual string but may be parsed as a different type should use a `type` other than `'PLAIN'`,
	* as this function does not support any schema operations and won't check for such conflicts.
	*
	* @param token Any token. If it does not include an `indent` value, the value will be stringified as if it were an implicit key.
	* @param value The string representation of the value, which will have its content properly indented.
	* @param context.afterKey In most cases, values after a key should have an additional level of indentation.
	* @param context.implicitKey Being within an implicit key may affect the resolved type of the token's value.
	* @param context.inFlow Being within a flow collection may affect the resolved type of the token's value.
	* @param context.type The preferred type of the scalar token. If undefined, the previous type of the `token` will be used, defaulting to `'PLAIN'`.
	*/
	function setScalarValue(token, value, context = {}) {
		let { afterKey = false, implicitKey = false, inFlow = false, type } = context;
		let indent = "indent" in token ? token.indent : null;
		if (afterKey && typeof indent === "number") indent += 2;
		if (!type) switch (token.type) {
			case "single-quoted-scalar":
				type = "QUOTE_SINGLE";
				break;
			case "double-quoted-scalar":
				type = "QUOTE_DOUBLE";
				break;
			case "block-scalar": {
				const header = token.props[0];
				if (header.type !== "block-scalar-header") throw new Error("Invalid block scalar header");
				type = header.source[0] === ">" ? "BLOCK_FOLDED" : "BLOCK_LITERAL";
				break;
			}
			default: type = "PLAIN";
		}
		const source = stringifyString.stringifyString({
			type,
			value
		}, {
			implicitKey: implicitKey || indent === null,
			indent: indent !== null && indent > 0 ? " ".repeat(indent) : "",
			inFlow,
			options: {
				blockQuote: true,
				lineWidth: -1
			}
		});
		switch (source[0]) {
			case "|":
			case ">":
				setBlockScalarValue(token, source);
				break;
			case "\"":
				setFlowScalarValue(token, source, "double-quoted-scalar");
				break;
			case "'":
				setFlowScalarValue(token, source, "single-quoted-scalar");
				break;
			default: setFlowScalarValue(token, source, "scalar");
		}
	}
	function setBlockScalarValue(token, source) {
		const he = source.indexOf("\n");
		const head = source.substring(0, he);
		const body = source.substring(he + 1) + "\n";
		if (token.type === "block-scalar") {
			const header = token.props[0];
			if (header.type !== "block-scalar-header") throw new Error("Invalid block scalar header");
			header.source = head;
			token.source = body;
		} else {
			const { offset } = token;
			const indent = "indent" in token ? token.indent : -1;
			const props = [{
				type: "block-scalar-header",
				offset,
				indent,
				source: head
			}];
			if (!addEndtoBlockProps(props, "end" in token ? token.end : void 0)) props.push({
				type: "newline",
				offset: -1,
				indent,
				source: "\n"
			});
			for (const key of Object.keys(token)) if (key !== "type" && key !== "offset") delete token[key];
			Object.assign(token, {
				type: "block-scalar",
				indent,
				props,
				source: body
			});
		}
	}
	/** @returns `true` if last token is a newline */
	function addEndtoBlockProps(props, end) {
		if (end) for (const st of end) switch (st.type) {
			case "space":
			case "comment":
				props.push(st);
				break;
			case "newline":
				props.push(st);
				return true;
		}
		return false;
	}
	function setFlowScalarValue(token, source, type) {
		switch (token.type) {
			case "scalar":
			case "double-quoted-scalar":
			case "single-quoted-scalar":
				token.type = type;
				token.source = source;
				break;
			case "block-scalar": {
				const end = token.props.slice(1);
				let oa = source.length;
				if (token.props[0].type === "block-scalar-header") oa -= token.props[0].source.length;
				for (const tok of end) tok.offset += oa;
				delete token.props;
				Object.assign(token, {
					type,
					source,
					end
				});
				break;
			}
			case "block-map":
			case "block-seq": {
				const nl = {
					type: "newline",
					offset: token.offset + source.length,
					indent: token.indent,
					source: "\n"
				};
				delete token.items;
				Object.assign(token, {
					type,
					source,
					end: [nl]
				});
				break;
			}
			default: {
				const indent = "indent" in token ? token.indent : -1;
				const end = "end" in token && Array.isArray(token.end) ? token.end.filter((st) => st.type === "space" || st.type === "comment" || st.type === "newline") : [];
				for (const key of Object.keys(token)) if (key !== "type" && key !== "offset") delete token[key];
				Object.assign(token, {
					type,
					indent,
					source,
					end
				});
			}
		}
	}
	exports.createScalarToken = createScalarToken;
	exports.resolveAsScalar = resolveAsScalar;
	exports.setScalarValue = setScalarValue;
}));
// node_modules/yaml/dist/parse/cst-stringify.js
var require_cst_stringify = /* @__PURE__ */ __commonJSMin(((exports) => {
	/**
	* Stringify a CST document, token, or collection item
	*
	* Fair warning: This applies no validation whatsoever, and
	* simply concatenates the sources in their logical order.
	*/
	const stringify = (cst) => "type" in cst ? stringifyToken(cst) : stringifyItem(cst);
	function stringifyToken(token) {
		switch (token.type) {
			case "block-scalar": {
				let res = "";
				for (const tok of token.props) res += stringifyToken(tok);
				return res + token.source;
			}
			case "block-map":
			case "block-seq": {
				let res = "";
				for (const item of token.items) res += stringifyItem(item);
				return res;
			}
			case "flow-collection": {
				let res = token.start.source;
				for (const item of token.items) res += stringifyItem(item);
				for (const st of token.end) res += st.source;
				return res;
			}
			case "document": {
				let res = stringifyItem(token);
				if (token.end) for (const st of token.end) res += st.source;
				return res;
			}
			default: {
				let res = token.source;
				if ("end" in token && token.end) for (const st of token.end) res += st.source;
				return res;
			}
		}
	}
	function stringifyItem({ start, key, sep, value }) {
		let res = "";
		for (const st of start) res += st.source;
		if (key) res += stringifyToken(key);
		if (sep) for (const st of sep) res += st.source;
		if (value) res += stringifyToken(value);
		return res;
	}
	exports.stringify = stringify;
}));
// node_modules/yaml/dist/parse/cst-visit.js
var require_cst_visit = /* @__PURE__ */ __commonJSMin(((exports) => {
	const BREAK = Symbol("break visit");
	const SKIP = Symbol("skip children");
	const REMOVE = Symbol("remove item");
	/**
	* Apply a visitor to a CST document or item.
	*
	* Walks through the tree (depth-first) starting from the root, calling a
	* `visitor` function with two arguments when entering each item:
	*   - `item`: The current item, which included the following members:
	*     - `start: SourceToken[]` – Source tokens before the key or value,
	*       possibly including its anchor or tag.
	*     - `key?: Token | null` – Set for pair values. May then be `null`, if
	*       the key before the `:` separator is empty.
	*     - `sep?: SourceToken[]` – Source tokens between the key and the value,
	*       which should include the `:` map value indicator if `value` is set.
	*     - `value?: Token` – The value of a sequence item, or of a map pair.
	*   - `path`: The steps from the root to the current node, as an array of
	*     `['key' | 'value', number]` tuples.
	*
	* The return value of the visitor may be used to control the traversal:
	*   - `undefined` (default): Do nothing and continue
	*   - `visit.SKIP`: Do not visit the children of this token, continue with
	*      next sibling
	*   - `visit.BREAK`: Terminate traversal completely
	*   - `visit.REMOVE`: Remove the current item, then continue with the next one
	*   - `number`: Set the index of the next step. This is useful especially if
	*     the index of the current token has changed.
	*   - `function`: Define the next visitor for this item. After the original
	*     visitor is called on item entry, next visitors are called after handling
	*     a non-empty `key` and when exiting the item.
	*/
	function visit(cst, visitor) {
		if ("type" in cst && cst.type === "document") cst = {
			start: cst.start,
			value: cst.value
		};
		_visit(Object.freeze([]), cst, visitor);
	}
	/** Terminate visit traversal completely */
	visit.BREAK = BREAK;
	/** Do not visit the children of the current item */
	visit.SKIP = SKIP;
	/** Remove the current item */
	visit.REMOVE = REMOVE;
	/** Find the item at `path` from `cst` as the root */
	visit.itemAtPath = (cst, path) => {
		let item = cst;
		for (const [field, index] of path) {
			const tok = item?.[field];
			if (tok && "items" in tok) item = tok.items[index];
			else return void 0;
		}
		return item;
	};
	/**
	* Get the immediate parent collection of the item at `path` from `cst` as the root.
	*
	* Throws an error if the collection is not found, which should never happen if the item itself exists.
	*/
	visit.parentCollection = (cst, path) => {
		const parent = visit.itemAtPath(cst, path.slice(0, -1));
		const field = path[path.length - 1][0];
		const coll = parent?.[field];
		if (coll && "items" in coll) return coll;
		throw new Error("Parent collection not found");
	};
	function _visit(path, item, visitor) {
		let ctrl = visitor(item, path);
		if (typeof ctrl === "symbol") return ctrl;
		for (const field of ["key", "value"]) {
			const token = item[field];
			if (token && "items" in token) {
				for (let i = 0; i < token.items.length; ++i) {
					const ci = _visit(Object.freeze(path.concat([[field, i]])), token.items[i], visitor);
					if (typeof ci === "number") i = ci - 1;
					else if (ci === BREAK) return BREAK;
					else if (ci === REMOVE) {
						token.items.splice(i, 1);
						i -= 1;
					}
				}
				if (typeof ctrl === "function" && field === "key") ctrl = ctrl(item, path);
			}
		}
		return typeof ctrl === "function" ? ctrl(item, path) : ctrl;
	}
	exports.visit = visit;
}));
// node_modules/yaml/dist/parse/cst.js
var require_cst = /* @__PURE__ */ __commonJSMin(((exports) => {
	var cstScalar = require_cst_scalar();
	var cstStringify = require_cst_stringify();
	var cstVisit = require_cst_visit();
	/** The byte order mark */
	const BOM = "﻿";
	/** Start of doc-mode */
	const DOCUMENT = "";
	/** Unexpected end of flow-mode */
	const FLOW_END = "";
	/** Next token is a scalar value */
	const SCALAR = "";
	/** @returns `true` if `token` is a flow or block collection */
	const isCollection = (token) => !!token && "items" in token;
	/** @returns `true` if `token` is a flow or block scalar; not an alias */
	const isScalar = (token) => !!token && (token.type === "scalar" || token.type === "single-quoted-scalar" || token.type === "double-quoted-scalar" || token.type === "block-scalar");
	/* istanbul ignore next */
	/** Get a printable representation of a lexer token */
	function prettyToken(token) {
		switch (token) {
			case BOM: return "<BOM>";
			case DOCUMENT: return "<DOC>";
			case FLOW_END: return "<FLOW_END>";
			case SCALAR: return "<SCALAR>";
			default: return JSON.stringify(token);
		}
	}
	/** Identify the type of a lexer token. May return `null` for unknown tokens. */
	function tokenType(source) {
		switch (source) {
			case BOM: return "byte-order-mark";
			case DOCUMENT: return "doc-mode";
			case FLOW_END: return "flow-error-end";
			case SCALAR: return "scalar";
			case "---": return "doc-start";
			case "...": return "doc-end";
			case "":
			case "\n":
			case "\r\n": return "newline";
			case "-": return "seq-item-ind";
			case "?": return "explicit-key-ind";
			case ":": return "map-value-ind";
			case "{": return "flow-map-start";
			case "}": return "flow-map-end";
			case "[": return "flow-seq-start";
			case "]": return "flow-seq-end";
			case ",": return "comma";
		}
		switch (source[0]) {
			case " ":
			case "	": return "space";
			case "#": return "comment";
			case "%": return "directive-line";
			case "*": return "alias";
			case "&": return "anchor";
			case "!": return "tag";
			case "'": return "single-quoted-scalar";
			case "\"": return "double-quoted-scalar";
			case "|":
			case ">": return "block-scalar-header";
		}
		return null;
	}
	exports.createScalarToken = cstScalar.createScalarToken;
	exports.resolveAsScalar = cstScalar.resolveAsScalar;
	exports.setScalarValue = cstScalar.setScalarValue;
	exports.stringify = cstStringify.stringify;
	exports.visit = cstVisit.visit;
	exports.BOM = BOM;
	exports.DOCUMENT = DOCUMENT;
	exports.FLOW_END = FLOW_END;
	exports.SCALAR = SCALAR;
	exports.isCollection = isCollection;
	exports.isScalar = isScalar;
	exports.prettyToken = prettyToken;
	exports.tokenType = tokenType;
}));
// node_modules/yaml/dist/parse/lexer.js
var require_lexer = /* @__PURE__ */ __commonJSMin(((exports) => {
	var cst = require_cst();
	function isEmpty(ch) {
		switch (ch) {
			case void 0:
			case " ":
			case "\n":
			case "\r":
			case "	": return true;
			default: return false;
		}
	}
	const hexDigits = /* @__PURE__ */ new Set("0123456789ABCDEFabcdef");
	const tagChars = /* @__PURE__ */ new Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-#;/?:@&=+$_.!~*'()");
	const flowIndicatorChars = /* @__PURE__ */ new Set(",[]{}");
	const invalidAnchorChars = /* @__PURE__ */ new Set(" ,[]{}\n\r	");
	const isNotAnchorChar = (ch) => !ch || invalidAnchorChars.has(ch);
	/**
	* Splits an input string into lexical tokens, i.e. smaller strings that are
	* easily identifiable by `tokens.tokenType()`.
	*
	* Lexing starts always in a "stream" context. Incomplete input may be buffered
	* until a complete token can be emitted.
	*
	* In addition to slices of the original input, the following control characters
	* may also be emitted:
	*
	* - `\x02` (Start of Text): A document starts with the next token
	* - `\x18` (Cancel): Unexpected end of flow-mode (indicates an error)
	* - `\x1f` (Unit Separator): Next token is a scalar value
	* - `\u{FEFF}` (Byte order mark): Emitted separately outside documents
	*/
	var Lexer = class {
		constructor() {
			/**
			* Flag indicating whether the end of the current buffer marks the end of
			* all input
			*/
			this.atEnd = false;
			/**
			* Explicit indent set in block scalar header, as an offset from the current
			* minimum indent, so e.g. set to 1 from a header `|2+`. Set to -1 if not
			* explicitly set.
			*/
			this.blockScalarIndent = -1;
			/**
			* Block scalars that include a + (keep) chomping indicator in their header
			* include trailing empty lines, which are otherwise excluded from the
			* scalar's contents.
			*/
			this.blockScalarKeep = false;
			/** Current input */
			this.buffer = "";
			/**
			* Flag noting whether the map value indicator : can immediately follow this
			* node within a flow context.
			*/
			this.flowKey = false;
			/** Count of surrounding flow collection levels. */
			this.flowLevel = 0;
			/**
			* Minimum level of indentation required for next lines to be parsed as a
			* part of the current scalar value.
			*/
			this.indentNext = 0;
			/** Indentation level of the current line. */
			this.indentValue = 0;
			/** Position of the next \n character. */
			this.lineEndPos = null;
			/** Stores the state of the lexer if reaching the end of incpomplete input */
			this.next = null;
			/** A pointer to `buffer`; the current position of the lexer. */
			this.pos = 0;
		}
		/**
		* Generate YAML tokens from the `source` string. If `incomplete`,
		* a part of the last line may be left as a buffer for the next call.
		*
		* @returns A generator of lexical tokens
		*/
		*lex(source, incomplete = false) {
			if (source) {
				if (typeof source !== "string") throw TypeError("source is not a string");
				this.buffer = this.buffer ? this.buffer + source : source;
				this.lineEndPos = null;
			}
			this.atEnd = !incomplete;
			let next = this.next ?? "stream";
			while (next && (incomplete || this.hasChars(1))) next = yield* this.parseNext(next);
		}
		atLineEnd() {
			let i = this.pos;
			let ch = this.buffer[i];
			while (ch === " " || ch === "	") ch = this.buffer[++i];
			if (!ch || ch === "#" || ch === "\n") return true;
			if (ch === "\r") return this.buffer[i + 1] === "\n";
			return false;
		}
		charAt(n) {
			return this.buffer[this.pos + n];
		}
		continueScalar(offset) {
			let ch = this.buffer[offset];
			if (this.indentNext > 0) {
				let indent = 0;
				while (ch === " ") ch = this.buffer[++indent + offset];
				if (ch === "\r") {
					const next = this.buffer[indent + offset + 1];
					if (next === "\n" || !next && !this.atEnd) return offset + indent + 1;
				}
				return ch === "\n" || indent >= this.indentNext || !ch && !this.atEnd ? offset + indent : -1;
			}
			if (ch === "-" || ch === ".") {
				const dt = this.buffer.substr(offset, 3);
				if ((dt === "---" || dt === "...") && isEmpty(this.buffer[offset + 3])) return -1;
			}
			return offset;
		}
		getLine() {
			let end = this.lineEndPos;
			if (typeof end !== "number" || end !== -1 && end < this.pos) {
				end = this.buffer.indexOf("\n", this.pos);
				this.lineEndPos = end;
			}
			if (end === -1) return this.atEnd ? this.buffer.substring(this.pos) : null;
			if (this.buffer[end - 1] === "\r") end -= 1;
			return this.buffer.substring(this.pos, end);
		}
		hasChars(n) {
			return this.pos + n <= this.buffer.length;
		}
		setNext(state) {
			this.buffer = this.buffer.substring(this.pos);
			this.pos = 0;
			this.lineEndPos = null;
			this.next = state;
			return null;
		}
		peek(n) {
			return this.buffer.substr(this.pos, n);
		}
		*parseNext(next) {
			switch (next) {
				case "stream": return yield* this.parseStream();
				case "line-start": return yield* this.parseLineStart();
				case "block-start": return yield* this.parseBlockStart();
				case "doc": return yield* this.parseDocument();
				case "flow": return yield* this.parseFlowCollection();
				case "quoted-scalar": return yield* this.parseQuotedScalar();
				case "block-scalar": return yield* this.parseBlockScalar();
				case "plain-scalar": return yield* this.parsePlainScalar();
			}
		}
		*parseStream() {
			let line = this.getLine();
			if (line === null) return this.setNext("stream");
			if (line[0] === cst.BOM) {
				yield* this.pushCount(1);
				line = line.substring(1);
			}
			if (line[0] === "%") {
				let dirEnd = line.length;
				let cs = line.indexOf("#");
				while (cs !== -1) {
					const ch = line[cs - 1];
					if (ch === " " || ch === "	") {
						dirEnd = cs - 1;
						break;
					} else cs = line.indexOf("#", cs + 1);
				}
				while (true) {
					const ch = line[dirEnd - 1];
					if (ch === " " || ch === "	") dirEnd -= 1;
					else break;
				}
				const n = (yield* this.pushCount(dirEnd)) + (yield* this.pushSpaces(true));
				yield* this.pushCount(line.length - n);
				this.pushNewline();
				return "stream";
			}
			if (this.atLineEnd()) {
				const sp = yield* this.pushSpaces(true);
				yield* this.pushCount(line.length - sp);
				yield* this.pushNewline();
				return "stream";
			}
			yield cst.DOCUMENT;
			return yield* this.parseLineStart();
		}
		*parseLineStart() {
			const ch = this.charAt(0);
			if (!ch && !this.atEnd) return this.setNext("line-start");
			if (ch === "-" || ch === ".") {
				if (!this.atEnd && !this.hasChars(4)) return this.setNext("line-start");
				const s = this.peek(3);
				if ((s === "---" || s === "...") && isEmpty(this.charAt(3))) {
					yield* this.pushCount(3);
					this.indentValue = 0;
					this.indentNext = 0;
					return s === "---" ? "doc" : "stream";
				}
			}
			this.indentValue = yield* this.pushSpaces(false);
			if (this.indentNext > this.indentValue && !isEmpty(this.charAt(1))) this.indentNext = this.indentValue;
			return yield* this.parseBlockStart();
		}
		*parseBlockStart() {
			const [ch0, ch1] = this.peek(2);
			if (!ch1 && !this.atEnd) return this.setNext("block-start");
			if ((ch0 === "-" || ch0 === "?" || ch0 === ":") && isEmpty(ch1)) {
				const n = (yield* this.pushCount(1)) + (yield* this.pushSpaces(true));
				this.indentNext = this.indentValue + 1;
				this.indentValue += n;
				return "block-start";
			}
			return "doc";
		}
		*parseDocument() {
			yield* this.pushSpaces(true);
			const line = this.getLine();
			if (line === null) return this.setNext("doc");
			let n = yield* this.pushIndicators();
			switch (line[n]) {
				case "#": yield* this.pushCount(line.length - n);
				case void 0:
					yield* this.pushNewline();
					return yield* this.parseLineStart();
				case "{":
				case "[":
					yield* this.pushCount(1);
					this.flowKey = false;
					this.flowLevel = 1;
					return "flow";
				case "}":
				case "]":
					yield* this.pushCount(1);
					return "doc";
				case "*":
					yield* this.pushUntil(isNotAnchorChar);
					return "doc";
				case "\"":
				case "'": return yield* this.parseQuotedScalar();
				case "|":
				case ">":
					n += yield* this.parseBlockScalarHeader();
					n += yield* this.pushSpaces(true);
					yield* this.pushCount(line.length - n);
					yield* this.pushNewline();
					return yield* this.parseBlockScalar();
				default: return yield* this.parsePlainScalar();
			}
		}
		*parseFlowCollection() {
			let nl, sp;
			let indent = -1;
			do {
				nl = yield* this.pushNewline();
				if (nl > 0) {
					sp = yield* this.pushSpaces(false);
					this.indentValue = indent = sp;
				} else sp = 0;
				sp += yield* this.pushSpaces(true);
			} while (nl + sp > 0);
			const line = this.getLine();
			if (line === null) return this.setNext("flow");
			if (indent !== -1 && indent < this.indentNext && line[0] !== "#" || indent === 0 && (line.startsWith("---") || line.startsWith("...")) && isEmpty(line[3])) {
				if (!(indent === this.indentNext - 1 && this.flowLevel === 1 && (line[0] === "]" || line[0] === "}"))) {
					this.flowLevel = 0;
					yield cst.FLOW_END;
					return yield* this.parseLineStart();
				}
			}
			let n = 0;
			while (line[n] === ",") {
				n += yield* this.pushCount(1);
				n += yield* this.pushSpaces(true);
				this.flowKey = false;
			}
			n += yield* this.pushIndicators();
			switch (line[n]) {
				case void 0: return "flow";
				case "#":
					yield* this.pushCount(line.length - n);
					return "flow";
				case "{":
				case "[":
					yield* this.pushCount(1);
					this.flowKey = false;
					this.flowLevel += 1;
					return "flow";
				case "}":
				case "]":
					yield* this.pushCount(1);
					this.flowKey = true;
					this.flowLevel -= 1;
					return this.flowLevel ? "flow" : "doc";
				case "*":
					yield* this.pushUntil(isNotAnchorChar);
					return "flow";
				case "\"":
				case "'":
					this.flowKey = true;
					return yield* this.parseQuotedScalar();
				case ":": {
					const next = this.charAt(1);
					if (this.flowKey || isEmpty(next) || next === ",") {
						this.flowKey = false;
						yield* this.pushCount(1);
						yield* this.pushSpaces(true);
						return "flow";
					}
				}
				default:
					this.flowKey = false;
					return yield* this.parsePlainScalar();
			}
		}
		*parseQuotedScalar() {
			const quote = this.charAt(0);
			let end = this.buffer.indexOf(quote, this.pos + 1);
			if (quote === "'") while (end !== -1 && this.buffer[end + 1] === "'") end = this.buffer.indexOf("'", end + 2);
			else while (end !== -1) {
				let n = 0;
				while (this.buffer[end - 1 - n] === "\\") n += 1;
				if (n % 2 === 0) break;
				end = this.buffer.indexOf("\"", end + 1);
			}
			const qb = this.buffer.substring(0, end);
			let nl = qb.indexOf("\n", this.pos);
			if (nl !== -1) {
				while (nl !== -1) {
					const cs = this.continueScalar(nl + 1);
					if (cs === -1) break;
					nl = qb.indexOf("\n", cs);
				}
				if (nl !== -1) end = nl - (qb[nl - 1] === "\r" ? 2 : 1);
			}
			if (end === -1) {
				if (!this.atEnd) return this.setNext("quoted-scalar");
				end = this.buffer.length;
			}
			yield* this.pushToIndex(end + 1, false);
			return this.flowLevel ? "flow" : "doc";
		}
		*parseBlockScalarHeader() {
			this.blockScalarIndent = -1;
			this.blockScalarKeep = false;
			let i = this.pos;
			while (true) {
				const ch = this.buffer[++i];
				if (ch === "+") this.blockScalarKeep = true;
				else if (ch > "0" && ch <= "9") this.blockScalarIndent = Number(ch) - 1;
				else if (ch !== "-") break;
			}
			return yield* this.pushUntil((ch) => isEmpty(ch) || ch === "#");
		}
		*parseBlockScalar() {
			let nl = this.pos - 1;
			let indent = 0;
			let ch;
			loop: for (let i = this.pos; ch = this.buffer[i]; ++i) switch (ch) {
				case " ":
					indent += 1;
					break;
				case "\n":
					nl = i;
					indent = 0;
					break;
				case "\r": {
					const next = this.buffer[i + 1];
					if (!next && !this.atEnd) return this.setNext("block-scalar");
					if (next === "\n") break;
				}
				default: break loop;
			}
			if (!ch && !this.atEnd) return this.setNext("block-scalar");
			if (indent >= this.indentNext) {
				if (this.blockScalarIndent === -1) this.indentNext = indent;
				else this.indentNext = this.blockScalarIndent + (this.indentNext === 0 ? 1 : this.indentNext);
				do {
					const cs = this.continueScalar(nl + 1);
					if (cs === -1) break;
					nl = this.buffer.indexOf("\n", cs);
				} while (nl !== -1);
				if (nl === -1) {
					if (!this.atEnd) return this.setNext("block-scalar");
					nl = this.buffer.length;
				}
			}
			let i = nl + 1;
			ch = this.buffer[i];
			while (ch === " ") ch = this.buffer[++i];
			if (ch === "	") {
				while (ch === "	" || ch === " " || ch === "\r" || ch === "\n") ch = this.buffer[++i];
				nl = i - 1;
			} else if (!this.blockScalarKeep) do {
				let i = nl - 1;
				let ch = this.buffer[i];
				if (ch === "\r") ch = this.buffer[--i];
				const lastChar = i;
				while (ch === " ") ch = this.buffer[--i];
				if (ch === "\n" && i >= this.pos && i + 1 + indent > lastChar) nl = i;
				else break;
			} while (true);
			yield cst.SCALAR;
			yield* this.pushToIndex(nl + 1, true);
			return yield* this.parseLineStart();
		}
		*parsePlainScalar() {
			const inFlow = this.flowLevel > 0;
			let end = this.pos - 1;
			let i = this.pos - 1;
			let ch;
			while (ch = this.buffer[++i]) if (ch === ":") {
				const next = this.buffer[i + 1];
				if (isEmpty(next) || inFlow && flowIndicatorChars.has(next)) break;
				end = i;
			} else if (isEmpty(ch)) {
				let next = this.buffer[i + 1];
				if (ch === "\r") {
					if (next === "\n") {
						i += 1;
						ch = "\n";
						next = this.buffer[i + 1];
					} else end = i;
				}
				if (next === "#" || inFlow && flowIndicatorChars.has(next)) break;
				if (ch === "\n") {
					const cs = this.continueScalar(i + 1);
					if (cs === -1) break;
					i = Math.max(i, cs - 2);
				}
			} else {
				if (inFlow && flowIndicatorChars.has(ch)) break;
				end = i;
			}
			if (!ch && !this.atEnd) return this.setNext("plain-scalar");
			yield cst.SCALAR;
			yield* this.pushToIndex(end + 1, true);
			return inFlow ? "flow" : "doc";
		}
		*pushCount(n) {
			if (n > 0) {
				yield this.buffer.substr(this.pos, n);
				this.pos += n;
				return n;
			}
			return 0;
		}
		*pushToIndex(i, allowEmpty) {
			const s = this.buffer.slice(this.pos, i);
			if (s) {
				yield s;
				this.pos += s.length;
				return s.length;
			} else if (allowEmpty) yield "";
			return 0;
		}
		*pushIndicators() {
			let n = 0;
			loop: while (true) {
				switch (this.charAt(0)) {
					case "!":
						n += yield* this.pushTag();
						n += yield* this.pushSpaces(true);
						continue loop;
					case "&":
						n += yield* this.pushUntil(isNotAnchorChar);
						n += yield* this.pushSpaces(true);
						continue loop;
					case "-":
					case "?":
					case ":": {
						const inFlow = this.flowLevel > 0;
						const ch1 = this.charAt(1);
						if (isEmpty(ch1) || inFlow && flowIndicatorChars.has(ch1)) {
							if (!inFlow) this.indentNext = this.indentValue + 1;
							else if (this.flowKey) this.flowKey = false;
							n += yield* this.pushCount(1);
							n += yield* this.pushSpaces(true);
							continue loop;
						}
					}
				}
				break loop;
			}
			return n;
		}
		*pushTag() {
			if (this.charAt(1) === "<") {
				let i = this.pos + 2;
				let ch = this.buffer[i];
				while (!isEmpty(ch) && ch !== ">") ch = this.buffer[++i];
				return yield* this.pushToIndex(ch === ">" ? i + 1 : i, false);
			} else {
				let i = this.pos + 1;
				let ch = this.buffer[i];
				while (ch) if (tagChars.has(ch)) ch = this.buffer[++i];
				else if (ch === "%" && hexDigits.has(this.buffer[i + 1]) && hexDigits.has(this.buffer[i + 2])) ch = this.buffer[i += 3];
				else break;
				return yield* this.pushToIndex(i, false);
			}
		}
		*pushNewline() {
			const ch = this.buffer[this.pos];
			if (ch === "\n") return yield* this.pushCount(1);
			else if (ch === "\r" && this.charAt(1) === "\n") return yield* this.pushCount(2);
			else return 0;
		}
		*pushSpaces(allowTabs) {
			let i = this.pos - 1;
			let ch;
			do
				ch = this.buffer[++i];
			while (ch === " " || allowTabs && ch === "	");
			const n = i - this.pos;
			if (n > 0) {
				yield this.buffer.substr(this.pos, n);
				this.pos = i;
			}
			return n;
		}
		*pushUntil(test) {
			let i = this.pos;
			let ch = this.buffer[i];
			while (!test(ch)) ch = this.buffer[++i];
			return yield* this.pushToIndex(i, false);
		}
	};
	exports.Lexer = Lexer;
}));
// node_modules/yaml/dist/parse/line-counter.js
var require_line_counter = /* @__PURE__ */ __commonJSMin(((exports) => {
	/**
	* Tracks newlines during parsing in order to provide an efficient API for
	* determining the one-indexed `{ line, col }` position for any offset
	* within the input.
	*/
	var LineCounter = class {
		constructor() {
			this.lineStarts = [];
			/**
			* Should be called in ascending order. Otherwise, call
			* `lineCounter.lineStarts.sort()` before calling `linePos()`.
			*/
			this.addNewLine = (offset) => this.lineStarts.push(offset);
			/**
			* Performs a binary search and returns the 1-indexed { line, col }
			* position of `offset`. If `line === 0`, `addNewLine` has never been
			* called or `offset` is before the first known newline.
			*/
			this.linePos = (offset) => {
				let low = 0;
				let high = this.lineStarts.length;
				while (low < high) {
					const mid = low + high >> 1;
					if (this.lineStarts[mid] < offset) low = mid + 1;
					else high = mid;
				}
				if (this.lineStarts[low] === offset) return {
					line: low + 1,
					col: 1
				};
				if (low === 0) return {
					line: 0,
					col: offset
				};
				const start = this.lineStarts[low - 1];
				return {
					line: low,
					col: offset - start + 1
				};
			};
		}
	};
	exports.LineCounter = LineCounter;
}));
// node_modules/yaml/dist/parse/parser.js
var require_parser = /* @__PURE__ */ __commonJSMin(((exports) => {
	var node_process = __require("process");
	var cst = require_cst();
	var lexer = require_lexer();
	function includesToken(list, type) {
		for (let i = 0; i < list.length; ++i) if (list[i].type === type) return true;
		return false;
	}
	function findNonEmptyIndex(list) {
		for (let i = 0; i < list.length; ++i) switch (list[i].type) {
			case "space":
			case "comment":
			case "newline": break;
			default: return i;
		}
		return -1;
	}
	function isFlowToken(token) {
		switch (token?.type) {
			case "alias":
			case "scalar":
			case "single-quoted-scalar":
			case "double-quoted-scalar":
			case "flow-collection": return true;
			default: return false;
		}
	}
	function getPrevProps(parent) {
		switch (parent.type) {
			case "document": return parent.start;
			case "block-map": {
				const it = parent.items[parent.items.length - 1];
				return it.sep ?? it.start;
			}
			case "block-seq": return parent.items[parent.items.length - 1].start;
			/* istanbul ignore next should not happen */
			default: return [];
		}
	}
	/** Note: May modify input array */
	function getFirstKeyStartProps(prev) {
		if (prev.length === 0) return [];
		let i = prev.length;
		loop: while (--i >= 0) switch (prev[i].type) {
			case "doc-start":
			case "explicit-key-ind":
			case "map-value-ind":
			case "seq-item-ind":
			case "newline": break loop;
		}
		while (prev[++i]?.type === "space");
		return prev.splice(i, prev.length);
	}
	function arrayPushArray(target, source) {
		if (source.length < 1e5) Array.prototype.push.apply(target, source);
		else for (let i = 0; i < source.length; ++i) target.push(source[i]);
	}
	function fixFlowSeqItems(fc) {
		if (fc.start.type === "flow-seq-start") {
			for (const it of fc.items) if (it.sep && !it.value && !includesToken(it.start, "explicit-key-ind") && !includesToken(it.sep, "map-value-ind")) {
				if (it.key) it.value = it.key;
				delete it.key;
				if (isFlowToken(it.value)) {
					if (it.value.end) arrayPushArray(it.value.end, it.sep);
					else it.value.end = it.sep;
				} else arrayPushArray(it.start, it.sep);
				delete it.sep;
			}
		}
	}
	/**
	* A YAML concrete syntax tree (CST) parser
	*
	* ```ts
	* const src: string = ...
	* for (const token of new Parser().parse(src)) {
	*   // token: Token
	* }
	* ```
	*
	* To use the parser with a user-provided lexer:
	*
	* ```ts
	* function* parse(source: string, lexer: Lexer) {
	*   const parser = new Parser()
	*   for (const lexeme of lexer.lex(source))
	*     yield* parser.next(lexeme)
	*   yield* parser.end()
	* }
	*
	* const src: string = ...
	* const lexer = new Lexer()
	* for (const token of parse(src, lexer)) {
	*   // token: Token
	* }
	* ```
	*/
	var Parser = class {
		/**
		* @param onNewLine - If defined, called separately with the start position of
		*   each new line (in `parse()`, including the start of input).
		*/
		constructor(onNewLine) {
			/** If true, space and sequence indicators count as indentation */
			this.atNewLine = true;
			/** If true, next token is a scalar value */
			this.atScalar = false;
			/** Current indentation level */
			this.indent = 0;
			/** Current offset since the start of parsing */
			this.offset = 0;
			/** On the same line with a block map key */
			this.onKeyLine = false;
			/** Top indicates the node that's currently being built */
			this.stack = [];
			/** The source of the current token, set in parse() */
			this.source = "";
			/** The type of the current token, set in parse() */
			this.type = "";
			this.lexer = new lexer.Lexer();
			this.onNewLine = onNewLine;
		}
		/**
		* Parse `source` as a YAML stream.
		* If `incomplete`, a part of the last line may be left as a buffer for the next call.
		*
		* Errors are not thrown, but yielded as `{ type: 'error', message }` tokens.
		*
		* @returns A generator of tokens representing each directive, document, and other structure.
		*/
		*parse(source, incomplete = false) {
			if (this.onNewLine && this.offset === 0) this.onNewLine(0);
			for (const lexeme of this.lexer.lex(source, incomplete)) yield* this.next(lexeme);
			if (!incomplete) yield* this.end();
		}
		/**
		* Advance the parser by the `source` of one lexical token.
		*/
		*next(source) {
			this.source = source;
			if (node_process.env.LOG_TOKENS) console.log("|", cst.prettyToken(source));
			if (this.atScalar) {
				this.atScalar = false;
				yield* this.step();
				this.offset += source.length;
				return;
			}
			const type = cst.tokenType(source);
			if (!type) {
				const message = `Not a YAML token: ${source}`;
				yield* this.pop({
					type: "error",
					offset: this.offset,
					message,
					source
				});
				this.offset += source.length;
			} else if (type === "scalar") {
				this.atNewLine = false;
				this.atScalar = true;
				this.type = "scalar";
			} else {
				this.type = type;
				yield* this.step();
				switch (type) {
					case "newline":
						this.atNewLine = true;
						this.indent = 0;
						if (this.onNewLine) this.onNewLine(this.offset + source.length);
						break;
					case "space":
						if (this.atNewLine && source[0] === " ") this.indent += source.length;
						break;
					case "explicit-key-ind":
					case "map-value-ind":
					case "seq-item-ind":
						if (this.atNewLine) this.indent += source.length;
						break;
					case "doc-mode":
					case "flow-error-end": return;
					default: this.atNewLine = false;
				}
				this.offset += source.length;
			}
		}
		/** Call at end of input to push out any remaining constructions */
		*end() {
			while (this.stack.length > 0) yield* this.pop();
		}
		get sourceToken() {
			return {
				type: this.type,
				offset: this.offset,
				indent: this.indent,
				source: this.source
			};
		}
		*step() {
			const top = this.peek(1);
			if (this.type === "doc-end" && top?.type !== "doc-end") {
				while (this.stack.length > 0) yield* this.pop();
				this.stack.push({
					type: "doc-end",
					offset: this.offset,
					source: this.source
				});
				return;
			}
			if (!top) return yield* this.stream();
			switch (top.type) {
				case "document": return yield* this.document(top);
				case "alias":
				case "scalar":
				case "single-quoted-scalar":
				case "double-quoted-scalar": return yield* this.scalar(top);
				case "block-scalar": return yield* this.blockScalar(top);
				case "block-map": return yield* this.blockMap(top);
				case "block-seq": return yield* this.blockSequence(top);
				case "flow-collection": return yield* this.flowCollection(top);
				case "doc-end": return yield* this.documentEnd(top);
			}
			/* istanbul ignore next should not happen */
			yield* this.pop();
		}
		peek(n) {
			return this.stack[this.stack.length - n];
		}
		*pop(error) {
			const token = error ?? this.stack.pop();
			/* istanbul ignore if should not happen */
			if (!token) yield {
				type: "error",
				offset: this.offset,
				source: "",
				message: "Tried to pop an empty stack"
			};
			else if (this.stack.length === 0) yield token;
			else {
				const top = this.peek(1);
				if (token.type === "block-scalar") token.indent = "indent" in top ? top.indent : 0;
				else if (token.type === "flow-collection" && top.type === "document") token.indent = 0;
				if (token.type === "flow-collection") fixFlowSeqItems(token);
				switch (top.type) {
					case "document":
						top.value = token;
						break;
					case "block-scalar":
						top.props.push(token);
						break;
					case "block-map": {
						const it = top.items[top.items.length - 1];
						if (it.value) {
							top.items.push({
								start: [],
								key: token,
								sep: []
							});
							this.onKeyLine = true;
							return;
						} else if (it.sep) it.value = token;
						else {
							Object.assign(it, {
								key: token,
								sep: []
							});
							this.onKeyLine = !it.explicitKey;
							return;
						}
						break;
					}
					case "block-seq": {
						const it = top.items[top.items.length - 1];
						if (it.value) top.items.push({
							start: [],
							value: token
						});
						else it.value = token;
						break;
					}
					case "flow-collection": {
						const it = top.items[top.items.length - 1];
						if (!it || it.value) top.items.push({
							start: [],
							key: token,
							sep: []
						});
						else if (it.sep) it.value = token;
						else Object.assign(it, {
							key: token,
							sep: []
						});
						return;
					}
					/* istanbul ignore next should not happen */
					default:
						yield* this.pop();
						yield* this.pop(token);
				}
				if ((top.type === "document" || top.type === "block-map" || top.type === "block-seq") && (token.type === "block-map" || token.type === "block-seq")) {
					const last = token.items[token.items.length - 1];
					if (last && !last.sep && !last.value && last.start.length > 0 && findNonEmptyIndex(last.start) === -1 && (token.indent === 0 || last.start.every((st) => st.type !== "comment" || st.indent < token.indent))) {
						if (top.type === "document") top.end = last.start;
						else top.items.push({ start: last.start });
						token.items.splice(-1, 1);
					}
				}
			}
		}
		*stream() {
			switch (this.type) {
				case "directive-line":
					yield {
						type: "directive",
						offset: this.offset,
						source: this.source
					};
					return;
				case "byte-order-mark":
				case "space":
				case "comment":
				case "newline":
					yield this.sourceToken;
					return;
				case "doc-mode":
				case "doc-start": {
					const doc = {
						type: "document",
						offset: this.offset,
						start: []
					};
					if (this.type === "doc-start") doc.start.push(this.sourceToken);
					this.stack.push(doc);
					return;
				}
			}
			yield {
				type: "error",
				offset: this.offset,
				message: `Unexpected ${this.type} token in YAML stream`,
				source: this.source
			};
		}
		*document(doc) {
			if (doc.value) return yield* this.lineEnd(doc);
			switch (this.type) {
				case "doc-start":
					if (findNonEmptyIndex(doc.start) !== -1) {
						yield* this.pop();
						yield* this.step();
					} else doc.start.push(this.sourceToken);
					return;
				case "anchor":
				case "tag":
				case "space":
				case "comment":
				case "newline":
					doc.start.push(this.sourceToken);
					return;
			}
			const bv = this.startBlockValue(doc);
			if (bv) this.stack.push(bv);
			else yield {
				type: "error",
				offset: this.offset,
				message: `Unexpected ${this.type} token in YAML document`,
				source: this.source
			};
		}
		*scalar(scalar) {
			if (this.type === "map-value-ind") {
				const start = getFirstKeyStartProps(getPrevProps(this.peek(2)));
				let sep;
				if (scalar.end) {
					sep = scalar.end;
					sep.push(this.sourceToken);
					delete scalar.end;
				} else sep = [this.sourceToken];
				const map = {
					type: "block-map",
					offset: scalar.offset,
					indent: scalar.indent,
					items: [{
						start,
						key: scalar,
						sep
					}]
				};
				this.onKeyLine = true;
				this.stack[this.stack.length - 1] = map;
			} else yield* this.lineEnd(scalar);
		}
		*blockScalar(scalar) {
			switch (this.type) {
				case "space":
				case "comment":
				case "newline":
					scalar.props.push(this.sourceToken);
					return;
				case "scalar":
					scalar.source = this.source;
					this.atNewLine = true;
					this.indent = 0;
					if (this.onNewLine) {
						let nl = this.source.indexOf("\n") + 1;
						while (nl !== 0) {
							this.onNewLine(this.offset + nl);
							nl = this.source.indexOf("\n", nl) + 1;
						}
					}
					yield* this.pop();
					break;
				/* istanbul ignore next should not happen */
				default:
					yield* this.pop();
					yield* this.step();
			}
		}
		*blockMap(map) {
			const it = map.items[map.items.length - 1];
			switch (this.type) {
				case "newline":
					this.onKeyLine = false;
					if (it.value) {
						const end = "end" in it.value ? it.value.end : void 0;
						if ((Array.isArray(end) ? end[end.length - 1] : void 0)?.type === "comment") end?.push(this.sourceToken);
						else map.items.push({ start: [this.sourceToken] });
					} else if (it.sep) it.sep.push(this.sourceToken);
					else it.start.push(this.sourceToken);
					return;
				case "space":
				case "comment":
					if (it.value) map.items.push({ start: [this.sourceToken] });
					else if (it.sep) it.sep.push(this.sourceToken);
					else {
						if (this.atIndentedComment(it.start, map.indent)) {
							const end = map.items[map.items.length - 2]?.value?.end;
							if (Array.isArray(end)) {
								arrayPushArray(end, it.start);
								end.push(this.sourceToken);
								map.items.pop();
								return;
							}
						}
						it.start.push(this.sourceToken);
					}
					return;
			}
			if (this.indent >= map.indent) {
				const atMapIndent = !this.onKeyLine && this.indent === map.indent;
				const atNextItem = atMapIndent && (it.sep || it.explicitKey) && this.type !== "seq-item-ind";
				let start = [];
				if (atNextItem && it.sep && !it.value) {
					const nl = [];
					for (let i = 0; i < it.sep.length; ++i) {
						const st = it.sep[i];
						switch (st.type) {
							case "newline":
								nl.push(i);
								break;
							case "space": break;
							case "comment":
								if (st.indent > map.indent) nl.length = 0;
								break;
							default: nl.length = 0;
						}
					}
					if (nl.length >= 2) start = it.sep.splice(nl[1]);
				}
				switch (this.type) {
					case "anchor":
					case "tag":
						if (atNextItem || it.value) {
							start.push(this.sourceToken);
							map.items.push({ start });
							this.onKeyLine = true;
						} else if (it.sep) it.sep.push(this.sourceToken);
						else it.start.push(this.sourceToken);
						return;
					case "explicit-key-ind":
						if (!it.sep && !it.explicitKey) {
							it.start.push(this.sourceToken);
							it.explicitKey = true;
						} else if (atNextItem || it.value) {
							start.push(this.sourceToken);
							map.items.push({
								start,
								explicitKey: true
							});
						} else this.stack.push({
							type: "block-map",
							offset: this.offset,
							indent: this.indent,
							items: [{
								start: [this.sourceToken],
								explicitKey: true
							}]
						});
						this.onKeyLine = true;
						return;
					case "map-value-ind":
						if (it.explicitKey) {
							if (!it.sep) {
								if (includesToken(it.start, "newline")) Object.assign(it, {
									key: null,
									sep: [this.sourceToken]
								});
								else {
									const start = getFirstKeyStartProps(it.start);
									this.stack.push({
										type: "block-map",
										offset: this.offset,
										indent: this.indent,
										items: [{
											start,
											key: null,
											sep: [this.sourceToken]
										}]
									});
								}
							} else if (it.value) map.items.push({
								start: [],
								key: null,
								sep: [this.sourceToken]
							});
							else if (includesToken(it.sep, "map-value-ind")) this.stack.push({
								type: "block-map",
								offset: this.offset,
								indent: this.indent,
								items: [{
									start,
									key: null,
									sep: [this.sourceToken]
								}]
							});
							else if (isFlowToken(it.key) && !includesToken(it.sep, "newline")) {
								const start = getFirstKeyStartProps(it.start);
								const key = it.key;
								const sep = it.sep;
								sep.push(this.sourceToken);
								delete it.key;
								delete it.sep;
								this.stack.push({
									type: "block-map",
									offset: this.offset,
									indent: this.indent,
									items: [{
										start,
										key,
										sep
									}]
								});
							} else if (start.length > 0) it.sep = it.sep.concat(start, this.sourceToken);
							else it.sep.push(this.sourceToken);
						} else if (!it.sep) Object.assign(it, {
							key: null,
							sep: [this.sourceToken]
						});
						else if (it.value || atNextItem) map.items.push({
							start,
							key: null,
							sep: [this.sourceToken]
						});
						else if (includesToken(it.sep, "map-value-ind")) this.stack.push({
							type: "block-map",
							offset: this.offset,
							indent: this.indent,
							items: [{
								start: [],
								key: null,
								sep: [this.sourceToken]
							}]
						});
						else it.sep.push(this.sourceToken);
						this.onKeyLine = true;
						return;
					case "alias":
					case "scalar":
					case "single-quoted-scalar":
					case "double-quoted-scalar": {
						const fs = this.flowScalar(this.type);
						if (atNextItem || it.value) {
							map.items.push({
								start,
								key: fs,
								sep: []
							});
							this.onKeyLine = true;
						} else if (it.sep) this.stack.push(fs);
						else {
							Object.assign(it, {
								key: fs,
								sep: []
							});
							this.onKeyLine = true;
						}
						return;
					}
					default: {
						const bv = this.startBlockValue(map);
						if (bv) {
							if (bv.type === "block-seq") {
								if (!it.explicitKey && it.sep && !includesToken(it.sep, "newline")) {
									yield* this.pop({
										type: "error",
										offset: this.offset,
										message: "Unexpected block-seq-ind on same line with key",
										source: this.source
									});
									return;
								}
							} else if (atMapIndent) map.items.push({ start });
							this.stack.push(bv);
							return;
						}
					}
				}
			}
			yield* this.pop();
			yield* this.step();
		}
		*blockSequence(seq) {
			const it = seq.items[seq.items.length - 1];
			switch (this.type) {
				case "newline":
					if (it.value) {
						const end = "end" in it.value ? it.value.end : void 0;
						if ((Array.isArray(end) ? end[end.length - 1] : void 0)?.type === "comment") end?.push(this.sourceToken);
						else seq.items.push({ start: [this.sourceToken] });
					} else it.start.push(this.sourceToken);
					return;
				case "space":
				case "comment":
					if (it.value) seq.items.push({ start: [this.sourceToken] });
					else {
						if (this.atIndentedComment(it.start, seq.indent)) {
							const end = seq.items[seq.items.length - 2]?.value?.end;
							if (Array.isArray(end)) {
								arrayPushArray(end, it.start);
								end.push(this.sourceToken);
								seq.items.pop();
								return;
							}
						}
						it.start.push(this.sourceToken);
					}
					return;
				case "anchor":
				case "tag":
					if (it.value || this.indent <= seq.indent) break;
					it.start.push(this.sourceToken);
					return;
				case "seq-item-ind":
					if (this.indent !== seq.indent) break;
					if (it.value || includesToken(it.start, "seq-item-ind")) seq.items.push({ start: [this.sourceToken] });
					else it.start.push(this.sourceToken);
					return;
			}
			if (this.indent > seq.indent) {
				const bv = this.startBlockValue(seq);
				if (bv) {
					this.stack.push(bv);
					return;
				}
			}
			yield* this.pop();
			yield* this.step();
		}
		*flowCollection(fc) {
			const it = fc.items[fc.items.length - 1];
			if (this.type === "flow-error-end") {
				let top;
				do {
					yield* this.pop();
					top = this.peek(1);
				} while (top?.type === "flow-collection");
			} else if (fc.end.length === 0) {
				switch (this.type) {
					case "comma":
					case "explicit-key-ind":
						if (!it || it.sep) fc.items.push({ start: [this.sourceToken] });
						else it.start.push(this.sourceToken);
						return;
					case "map-value-ind":
						if (!it || it.value) fc.items.push({
							start: [],
							key: null,
							sep: [this.sourceToken]
						});
						else if (it.sep) it.sep.push(this.sourceToken);
						else Object.assign(it, {
							key: null,
							sep: [this.sourceToken]
						});
						return;
					case "space":
					case "comment":
					case "newline":
					case "anchor":
					case "tag":
						if (!it || it.value) fc.items.push({ start: [this.sourceToken] });
						else if (it.sep) it.sep.push(this.sourceToken);
						else it.start.push(this.sourceToken);
						return;
					case "alias":
					case "scalar":
					case "single-quoted-scalar":
					case "double-quoted-scalar": {
						const fs = this.flowScalar(this.type);
						if (!it || it.value) fc.items.push({
							start: [],
							key: fs,
							sep: []
						});
						else if (it.sep) this.stack.push(fs);
						else Object.assign(it, {
							key: fs,
							sep: []
						});
						return;
					}
					case "flow-map-end":
					case "flow-seq-end":
						fc.end.push(this.sourceToken);
						return;
				}
				const bv = this.startBlockValue(fc);
				/* istanbul ignore else should not happen */
				if (bv) this.stack.push(bv);
				else {
					yield* this.pop();
					yield* this.step();
				}
			} else {
				const parent = this.peek(2);
				if (parent.type === "block-map" && (this.type === "map-value-ind" && parent.indent === fc.indent || this.type === "newline" && !parent.items[parent.items.length - 1].sep)) {
					yield* this.pop();
					yield* this.step();
				} else if (this.type === "map-value-ind" && parent.type !== "flow-collection") {
					const start = getFirstKeyStartProps(getPrevProps(parent));
					fixFlowSeqItems(fc);
					const sep = fc.end.splice(1, fc.end.length);
					sep.push(this.sourceToken);
					const map = {
						type: "block-map",
						offset: fc.offset,
						indent: fc.indent,
						items: [{
							start,
							key: fc,
							sep
						}]
					};
					this.onKeyLine = true;
					this.stack[this.stack.length - 1] = map;
				} else yield* this.lineEnd(fc);
			}
		}
		flowScalar(type) {
			if (this.onNewLine) {
				let nl = this.source.indexOf("\n") + 1;
				while (nl !== 0) {
					this.onNewLine(this.offset + nl);
					nl = this.source.indexOf("\n", nl) + 1;
				}
			}
			return {
				type,
				offset: this.offset,
				indent: this.indent,
				source: this.source
			};
		}
		startBlockValue(parent) {
			switch (this.type) {
				case "alias":
				case "scalar":
				case "single-quoted-scalar":
				case "double-quoted-scalar": return this.flowScalar(this.type);
				case "block-scalar-header": return {
					type: "block-scalar",
					offset: this.offset,
					indent: this.indent,
					props: [this.sourceToken],
					source: ""
				};
				case "flow-map-start":
				case "flow-seq-start": return {
					type: "flow-collection",
					offset: this.offset,
					indent: this.indent,
					start: this.sourceToken,
					items: [],
					end: []
				};
				case "seq-item-ind": return {
					type: "block-seq",
					offset: this.offset,
					indent: this.indent,
					items: [{ start: [this.sourceToken] }]
				};
				case "explicit-key-ind": {
					this.onKeyLine = true;
					const start = getFirstKeyStartProps(getPrevProps(parent));
					start.push(this.sourceToken);
					return {
						type: "block-map",
						offset: this.offset,
						indent: this.indent,
						items: [{
							start,
							explicitKey: true
						}]
					};
				}
				case "map-value-ind": {
					this.onKeyLine = true;
					const start = getFirstKeyStartProps(getPrevProps(parent));
					return {
						type: "block-map",
						offset: this.offset,
						indent: this.indent,
						items: [{
							start,
							key: null,
							sep: [this.sourceToken]
						}]
					};
				}
			}
			return null;
		}
		atIndentedComment(start, indent) {
			if (this.type !== "comment") return false;
			if (this.indent <= indent) return false;
			return start.every((st) => st.type === "newline" || st.type === "space");
		}
		*documentEnd(docEnd) {
			if (this.type !== "doc-mode") {
				if (docEnd.end) docEnd.end.push(this.sourceToken);
				else docEnd.end = [this.sourceToken];
				if (this.type === "newline") yield* this.pop();
			}
		}
		*lineEnd(token) {
			switch (this.type) {
				case "comma":
				case "doc-start":
				case "doc-end":
				case "flow-seq-end":
				case "flow-map-end":
				case "map-value-ind":
					yield* this.pop();
					yield* this.step();
					break;
				case "newline": this.onKeyLine = false;
				default:
					if (token.end) token.end.push(this.sourceToken);
					else token.end = [this.sourceToken];
					if (this.type === "newline") yield* this.pop();
			}
		}
	};
	exports.Parser = Parser;
}));
// node_modules/yaml/dist/public-api.js
var require_public_api = /* @__PURE__ */ __commonJSMin(((exports) => {
	var composer = require_composer();
	var Document = require_Document();
	var errors = require_errors();
	var log = require_log();
	var identity = require_identity();
	var lineCounter = require_line_counter();
	var parser = require_parser();
	function parseOptions(options) {
		const prettyErrors = options.prettyErrors !== false;
		return {
			lineCounter: options.lineCounter || prettyErrors && new lineCounter.LineCounter() || null,
			prettyErrors
		};
	}
	/**
	* Parse the input as a stream of YAML documents.
	*
	* Documents should be separated from each other by `...` or `---` marker lines.
	*
	* @returns If an empty `docs` array is returned, it will be of type
	*   EmptyStream and contain additional stream information. In
	*   TypeScript, you should use `'empty' in docs` as a type guard for it.
	*/
	function parseAllDocuments(source, options = {}) {
		const { lineCounter, prettyErrors } = parseOptions(options);
		const parser$1 = new parser.Parser(lineCounter?.addNewLine);
		const composer$1 = new composer.Composer(options);
		const docs = Array.from(composer$1.compose(parser$1.parse(source)));
		if (prettyErrors && lineCounter) for (const doc of docs) {
			doc.errors.forEach(errors.prettifyError(source, lineCounter));
			doc.warnings.forEach(errors.prettifyError(source, lineCounter));
		}
		if (docs.length > 0) return docs;
		return Object.assign([], { empty: true }, composer$1.streamInfo());
	}
	/** Parse an input string into a single YAML.Document */
	function parseDocument(source, options = {}) {
		const { lineCounter, prettyErrors } = parseOptions(options);
		const parser$1 = new parser.Parser(lineCounter?.addNewLine);
		const composer$1 = new composer.Composer(options);
		let doc = null;
		for (const _doc of composer$1.compose(parser$1.parse(source), true, source.length)) if (!doc) doc = _doc;
		else if (doc.options.logLevel !== "silent") {
			doc.errors.push(new errors.YAMLParseError(_doc.range.slice(0, 2), "MULTIPLE_DOCS", "Source contains multiple documents; please use YAML.parseAllDocuments()"));
			break;
		}
		if (prettyErrors && lineCounter) {
			doc.errors.forEach(errors.prettifyError(source, lineCounter));
			doc.warnings.forEach(errors.prettifyError(source, lineCounter));
		}
		return doc;
	}
	function parse(src, reviver, options) {
		let _reviver = void 0;
		if (typeof reviver === "function") _reviver = reviver;
		else if (options === void 0 && reviver && typeof reviver === "object") options = reviver;
		const doc = parseDocument(src, options);
		if (!doc) return null;
		doc.warnings.forEach((warning) => log.warn(doc.options.logLevel, warning));
		if (doc.errors.length > 0) {
			if (doc.options.logLevel !== "silent") throw doc.errors[0];
			else doc.errors = [];
		}
		return doc.toJS(Object.assign({ reviver: _reviver }, options));
	}
	function stringify(value, replacer, options) {
		let _replacer = null;
		if (typeof replacer === "function" || Array.isArray(replacer)) _replacer = replacer;
		else if (options === void 0 && replacer) options = replacer;
		if (typeof options === "string") options = options.length;
		if (typeof options === "number") {
			const indent = Math.round(options);
			options = indent < 1 ? void 0 : indent > 8 ? { indent: 8 } : { indent };
		}
		if (value === void 0) {
			const { keepUndefined } = options ?? replacer ?? {};
			if (!keepUndefined) return void 0;
		}
		if (identity.isDocument(value) && !_replacer) return value.toString(options);
		return new Document.Document(value, _replacer, options).toString(options);
	}
	exports.parse = parse;
	exports.parseAllDocuments = parseAllDocuments;
	exports.parseDocument = parseDocument;
	exports.stringify = stringify;
}));
// src/workflow/parse-workflow.ts
var import_dist = (/* @__PURE__ */ __commonJSMin(((exports) => {
	var composer = require_composer();
	var Document = require_Document();
	var Schema = require_Schema();
	var errors = require_errors();
	var Alias = require_Alias();
	var identity = require_identity();
	var Pair = require_Pair();
	var Scalar = require_Scalar();
	var YAMLMap = require_YAMLMap();
	var YAMLSeq = require_YAMLSeq();
	require_cst();
	var lexer = require_lexer();
	var lineCounter = require_line_counter();
	var parser = require_parser();
	var publicApi = require_public_api();
	var visit = require_visit();
	exports.Composer = composer.Composer;
	exports.Document = Document.Document;
	exports.Schema = Schema.Schema;
	exports.YAMLError = errors.YAMLError;
	exports.YAMLParseError = errors.YAMLParseError;
	exports.YAMLWarning = errors.YAMLWarning;
	exports.Alias = Alias.Alias;
	exports.isAlias = identity.isAlias;
	exports.isCollection = identity.isCollection;
	exports.isDocument = identity.isDocument;
	exports.isMap = identity.isMap;
	exports.isNode = identity.isNode;
	exports.isPair = identity.isPair;
	exports.isScalar = identity.isScalar;
	exports.isSeq = identity.isSeq;
	exports.Pair = Pair.Pair;
	exports.Scalar = Scalar.Scalar;
	exports.YAMLMap = YAMLMap.YAMLMap;
	exports.YAMLSeq = YAMLSeq.YAMLSeq;
	exports.Lexer = lexer.Lexer;
	exports.LineCounter = lineCounter.LineCounter;
	exports.Parser = parser.Parser;
	exports.parse = publicApi.parse;
	exports.parseAllDocuments = publicApi.parseAllDocuments;
	exports.parseDocument = publicApi.parseDocument;
	exports.stringify = publicApi.stringify;
	exports.visit = visit.visit;
	exports.visitAsync = visit.visitAsync;
})))();
/** UTF-16 units: fifty times a long workflow. */
const maxText = 5e5;
/** Maximum aliases that are followed; each takes a search of the whole text. */
const maxAliases = 1e3;
/**
* @param file named in errors
* @throws InputError with file and line when the text is not YAML or not a workflow
*/
function parseWorkflow(text, file) {
	const reader = new Reader(text, file);
	const root = reader.root();
	return {
		file,
		triggers: reader.triggers(root.get("on")),
		permissions: reader.permissions(root.get("permissions")),
		jobs: reader.jobs(root.get("jobs"))
	};
}
/** @throws InputError when the text is not YAML */
function parseCallable(text, file) {
	const reader = new Reader(text, file);
	const root = reader.root();
	const call = reader.map(reader.map(root.get("on")).get("workflow_call"));
	const of = (key) => reader.map(root.get(key) ?? call.get(key));
	const permissions = /* @__PURE__ */ new Map();
	for (const job of root.has("jobs") ? reader.jobs(root.get("jobs")) : []) for (const [scope, { text: level }] of job.permissions?.scopes ?? []) if (permissions.get(scope) !== "write") permissions.set(scope, level);
	const inputs = [...of("inputs")].map(([name, node]) => {
		const fields = reader.map(node);
		const field = (key) => reader.value(fields.get(key))?.text ?? null;
		return [name, {
			required: field("required") === "true",
			default: field("default"),
			type: field("type") ?? "string"
		}];
	});
	return {
		inputs: new Map(inputs),
		outputs: new Set(of("outputs").keys()),
		permissions
	};
}
var Reader = class {
	#file;
	#lines = new import_dist.LineCounter();
	#document;
	#aliases = 0;
	constructor(text, file) {
		this.#file = file;
		if (text.length > 5e5) throw new InputError(`${file} has ${text.length} characters; a workflow has at most ${maxText}`);
		try {
			this.#document = (0, import_dist.parseDocument)(text, {
				lineCounter: this.#lines,
				prettyErrors: false
			});
		} catch (cause) {
			if (!(cause instanceof RangeError)) throw cause;
			throw new InputError(`${file}: nested too deep`, { cause });
		}
		const [error] = this.#document.errors;
		if (error === void 0) return;
		const { line, col } = this.#lines.linePos(error.pos[0]);
		throw new InputError(`${file}:${line}:${col}: not YAML: ${clipMiddle(error.message, 300)}`);
	}
	root() {
		const { contents } = this.#document;
		if (contents !== null && (0, import_dist.isMap)(contents)) return this.map(contents);
		throw new InputError(`${this.#file} is not a workflow: it has no keys`, { hint: "give a file of .github/workflows" });
	}
	#line(node) {
		return node.range ? this.#lines.linePos(node.range[0]).line : 1;
	}
	/** The node that an alias stands for. */
	#follow(node) {
		let found = node ?? void 0;
		while ((0, import_dist.isAlias)(found)) {
			this.#aliases++;
			if (this.#aliases > maxAliases) throw new InputError(`${this.#file} has more than ${maxAliases} aliases`);
			found = found.resolve(this.#document);
		}
		return found;
	}
	/** Entries of a map; empty where there is no map. A key without a value has an empty scalar. */
	map(of) {
		const found = this.#follow(nodeOf(of));
		if (!(0, import_dist.isMap)(found)) return /* @__PURE__ */ new Map();
		return new Map(found.items.flatMap(({ key, value }) => {
			if (!(0, import_dist.isScalar)(key)) return [];
			const node = this.#follow(value) ?? new import_dist.Scalar(null);
			return [[String(key.value), {
				line: this.#line(key),
				node
			}]];
		}));
	}
	list(of) {
		const found = this.#follow(of?.node);
		if (!(0, import_dist.isSeq)(found)) return [];
		return found.items.flatMap((item) => this.#follow(item) ?? []);
	}
	/** A scalar as text; null where there is no scalar. */
	value(of) {
		const found = this.#follow(nodeOf(of));
		if (!(0, import_dist.isScalar)(found)) return null;
		const text = found.value === null ? "" : String(found.value);
		const isRounded = typeof found.value === "number" && found.source !== void 0 && found.source !== text;
		return {
			line: of !== void 0 && "node" in of ? of.line : this.#line(found),
			text,
			...isRounded ? { written: found.source } : {}
		};
	}
	values(of) {
		return new Map([...this.map(of)].flatMap(([key, entry]) => {
			const found = this.value(entry);
			return found === null ? [] : [[key, found]];
		}));
	}
	/** One value, or a list of them. */
	oneOrMore(of) {
		const one = this.value(of);
		return one === null ? this.list(of).flatMap((item) => this.value(item) ?? []) : [one];
	}
	triggers(of) {
		const found = new Map([...this.oneOrMore(of).map(({ text, line }) => [text, line]), ...[...this.map(of)].map(([name, { line }]) => [name, line])]);
		if (found.size > 0) return found;
		throw new InputError(`${this.#file} is not a workflow: it has no \`on\``, { hint: "give a file of .github/workflows" });
	}
	permissions(of) {
		if (of === void 0) return null;
		const all = this.value(of)?.text ?? null;
		return {
			line: of.line,
			all,
			scopes: this.values(of)
		};
	}
	jobs(of) {
		const found = [...this.map(of)];
		if (found.length === 0) throw new InputError(`${this.#file} is not a workflow: it has no \`jobs\``);
		return found.map(([id, job]) => this.#job(id, job));
	}
	#job(id, job) {
		const fields = this.map(job);
		const runsOn = fields.get("runs-on");
		const labels = this.map(runsOn);
		const container = fields.get("container");
		const texts = [];
		(0, import_dist.visit)(job.node, { Scalar: (_, scalar) => {
			if (typeof scalar.value === "string") texts.push({
				line: this.#line(scalar),
				text: scalar.value
			});
		} });
		return {
			id,
			line: job.line,
			uses: this.value(fields.get("uses")),
			with: this.values(fields.get("with")),
			runsOn: labels.size === 0 ? this.oneOrMore(runsOn) : this.oneOrMore(labels.get("labels") ?? labels.get("group")),
			container: container === void 0 ? null : {
				line: container.line,
				text: "container"
			},
			timeoutMinutes: this.value(fields.get("timeout-minutes")),
			permissions: this.permissions(fields.get("permissions")),
			matrix: this.#matrix(this.map(fields.get("strategy")).get("matrix")),
			steps: this.list(fields.get("steps")).map((step) => this.#step(step)),
			texts
		};
	}
	#matrix(of) {
		const matrix = /* @__PURE__ */ new Map();
		const add = (key, value) => {
			const values = matrix.get(key);
			if (values === void 0) matrix.set(key, [value]);
			else values.push(value);
		};
		for (const [key, entry] of this.map(of)) {
			if (key === "exclude") continue;
			for (const item of this.list(entry)) {
				const values = key === "include" ? this.values(item) : [[key, this.value(item)]];
				for (const [name, value] of values) if (value !== null) add(name, value);
			}
		}
		return matrix;
	}
	#step(node) {
		const fields = this.map(node);
		return {
			line: this.#line(node),
			id: this.value(fields.get("id"))?.text ?? null,
			uses: this.value(fields.get("uses")),
			run: this.value(fields.get("run"))?.text ?? null,
			with: this.values(fields.get("with"))
		};
	}
};
function nodeOf(of) {
	return of !== void 0 && "node" in of ? of.node : of;
}
// src/commands/diagnose-workflow.ts
/** Maximum size of each file that is read, in bytes. */
const maxBytes = 1e6;
/** Maximum number of folders of one project that are searched. */
const maxFolders = 300;
/**
* Says what a hosted runner will be missing for a workflow.
*
* @param file the workflow
* @param checkout the folder that the runner will have as its workspace: the root of the repository
* @throws InputError when the file cannot be read, is not a workflow, or does not use bpfgate
*/
async function diagnoseWorkflow(file, checkout) {
	if (!(await stat(checkout).catch(() => void 0))?.isDirectory()) throw new InputError(`--project: there is no folder ${checkout}`, { hint: "give the root of the repository" });
	return await diagnoseText(await readWorkflow(file), file, checkout);
}
/** Diagnoses the text of a workflow, which may not be written yet. */
async function diagnoseText(text, file, checkout) {
	const workflow = parseWorkflow(text, file);
	const callables = await readCallables();
	const projects = /* @__PURE__ */ new Map();
	const names = /* @__PURE__ */ new Set();
	for (const { project, config } of namedProjects(workflow, callables)) {
		const read = await readProject(checkout, project, config);
		projects.set(project, read);
		for (const { name } of parseGood(read.files.get(config) ?? "", config)?.namedKernels ?? []) names.add(name);
	}
	return checkWorkflow(workflow, {
		callables,
		projects,
		submodules: await readFileBelow(checkout, ".gitmodules", maxBytes).catch(() => "") ?? null,
		selectKernels: (selectors) => {
			const isOwnSelector = (word) => word.startsWith("file:") || names.has(word);
			const own = expectKernels(splitSelectors(selectors).filter(isOwnSelector));
			return selectKernels(selectors, readPins(), readMissing(), own);
		}
	});
}
/** The folder that holds `.github/workflows` with this file; the current folder for a file that is elsewhere. */
async function checkoutWith(file) {
	const folder = await realpath(dirname(file)).catch(() => "");
	const root = dirname(dirname(folder));
	return folder === join(root, ".github", "workflows") ? root : resolve$1(".");
}
/** Parses a bpfgate.toml; undefined if it has a mistake, which is found elsewhere. */
function parseGood(text, file) {
	try {
		return parseConfig(text, file);
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		return;
	}
}
async function readWorkflow(file) {
	const hint = "give a file of .github/workflows";
	let text;
	try {
		text = await readFileBelow(dirname(file), basename(file), maxBytes);
	} catch (cause) {
		if (!(cause instanceof UnreadableFile)) throw cause;
		throw new InputError(`cannot read ${file}: ${cause.reason}`, {
			cause,
			hint
		});
	}
	if (text === void 0) throw new InputError(`there is no file ${file}`, { hint });
	return text;
}
/** The actions and reusable workflows of this version. */
async function readCallables() {
	const entries = callableFiles.map(async (file) => {
		return [file, parseCallable(await readFile(join(packageRoot, file), "utf8"), file)];
	});
	return new Map(await Promise.all(entries));
}
async function readProject(checkout, project, config) {
	const root = await realpath(checkout);
	const own = join(root, project);
	const files = /* @__PURE__ */ new Map();
	const problems = /* @__PURE__ */ new Map();
	const read = async (name) => {
		try {
			const text = await readFileBelow(root, join(project, name), maxBytes);
			if (text !== void 0) files.set(name, text);
			return text ?? "";
		} catch (error) {
			if (!(error instanceof UnreadableFile)) throw error;
			problems.set(name, error.reason);
			return "";
		}
	};
	const settings = await read(config);
	const parsed = parseGood(settings, config);
	const folders = /* @__PURE__ */ new Set([own, ...parsed === void 0 ? [] : await manifestFolders(root, own, parsed)]);
	for (const folder of folders) {
		const texts = folder === own ? [settings] : [];
		for (const name of projectFiles) texts.push(await read(join(relative(own, folder), name)));
		const below = (await foldersIn(root, folder)).map((path) => basename(path));
		for (const named of texts.flatMap((text) => namedFolders(text, below))) {
			const path = join(folder, named);
			if (isWithin(path, root) && folders.size < maxFolders) folders.add(path);
		}
	}
	return {
		files,
		problems
	};
}
// src/commands/doctor.ts
function addDoctor(program) {
	program.command("doctor").description("print what this machine has and what is missing, and the command that installs each").option("--project <dir>", "folder that holds bpfgate.toml (without one, what the demo needs is counted); with --workflow the repository, by default the one that the workflow is in", ".").option("--install", "install what is missing").option("--environment", "print, as JSON, the environment in which the tools are found").addOption(new Option("--runner <runner>", "also require what this runner needs").choices(runners)).option("--tests", "also require what bpfgate's own tests build projects with").addOption(new Option("--workflow <file>", "list instead what a hosted runner will be missing for this workflow").conflicts([
		"install",
		"environment",
		"runner",
		"tests"
	])).action(async (options, command) => {
		if (options.workflow !== void 0) {
			const checkout = command.getOptionValueSource("project") !== "default" ? resolve$1(options.project) : await checkoutWith(options.workflow);
			const diagnosis = await diagnoseWorkflow(options.workflow, checkout);
			write(renderDiagnosis(diagnosis, options.workflow));
			process.exitCode = diagnosis.findings.length === 0 ? 0 : 3;
			return;
		}
		if (options.install === true) {
			await openKvm(context);
			await (await installDemands(() => doctorDemands(options, true), context)).all;
		}
		const demands = await doctorDemands(options);
		if (options.environment === true) {
			write(JSON.stringify((await requirePrerequisites(demands, { cache: context.cache })).env));
			return;
		}
		const found = await checkPrerequisites(demands, context);
		const others = optionalGroups.filter((group) => !demands.some((demand) => demand.group === group));
		const optional = await checkPrerequisites(others, context);
		write(toTerminal(renderPrerequisites([...found, ...optional], others)));
		write(`\n${await describeSandbox(context.environment, await findReadable({
			...context,
			own: []
		}))}`);
		if (await kvmAccess() === "closed") write(`\nthis user cannot open ${kvmDevice}, so guests are emulated; \`${describeOpening()}\` changes that`);
		process.exitCode = findMissing(found).length === 0 ? 0 : 3;
	});
}
async function doctorDemands({ project, runner, tests }, toInstall = false) {
	const given = {
		project: ["bpfgate.toml", ...manifests.map(({ file }) => file)].some((file) => existsSync(join(project, file))) ? project : exampleProject,
		runner,
		out: tmpdir()
	};
	const inputs = await readInputs(given);
	const sandbox = toInstall ? await sandboxDemands(inputs, context) : [];
	const demands = [...await demandsForGate(inputs, context), ...sandbox];
	return tests === true ? [
		...demands,
		demandOf("compile"),
		demandOf("cargo-criterion"),
		demandOf("tests")
	] : demands;
}
// src/commands/choose-kernels.ts
/**
* Selects kernels, also those that bpfgate.toml in the current folder names.
*
* @param spelled what the user gave them as, for messages: `--kernel`
* @throws InputError as selectKernels and findOwnKernels do
*/
async function chooseGivenKernels(selectors, spelled) {
	const located = await locateGivenKernels(selectors, spelled);
	const named = splitSelectors(located).some(isKernelName) ? await readNamedKernels(".") : [];
	return chooseKernels(located, context.cache, await findOwnKernels(located, named));
}
// src/commands/exec.ts
/** Unread bytes of a command's output above which it has to wait. */
const maxUntaken = 16777216;
function addExec(program) {
	program.command("exec").description("boot one kernel and run a command in it; exits with the command's own code").requiredOption("--kernel <selector>", "the kernel").option("--timeout <seconds>", "time limit, boot included", parseTimeout, 1800).option("--memory <MiB>", "memory of the guest", parsePositive, defaultMemoryMiB).addOption(runnerOption().default(runners[0])).option("--icount", "count instructions as the gate does: a nanosecond of the guest is one").option("--timing", "also print how long each stage of the boot took, on stderr").addOption(snapshotOption).argument("<command...>", "the command and its arguments, after --").action(async (argv, options) => {
		requireCommand(argv, options.kernel);
		const pins = await chooseGivenKernels([options.kernel], "--kernel");
		const [pin] = pins;
		if (pin === void 0 || pins.length > 1) throw new InputError(`--kernel ${options.kernel} selects ${pins.map(({ id }) => id).join(", ")}; exec boots exactly one`, { hint: "give the id of one of them" });
		const { cache, environment } = context;
		const isThere = await hasAgent(cache, findingEnvironment(environment));
		const isToUnpack = isInRpm(pin) && cachedKernel(pin, cache) === void 0;
		const demands = [...guestDemands({
			hasAgent: isThere,
			runner: options.runner
		}), ...rpmDemands(isToUnpack ? [pin.id] : [])];
		const tools = await requirePrerequisites(demands, {
			cache,
			optional: ["rust-bpf", "cargo-criterion"]
		});
		const kernel = await fetchKernel(pin, context);
		process.exitCode = await execInGuest({
			kernel,
			argv,
			cwd: process.cwd(),
			memoryMiB: options.memory,
			icount: options.icount === true,
			timeoutMs: options.timeout * 1e3,
			onStdout: (chunk) => {
				log.clear();
				process.stdout.write(chunk);
			},
			onStderr: (chunk) => {
				log.clear();
				process.stderr.write(chunk);
			},
			untilTaken: (stream) => process[stream].writableLength > maxUntaken ? once(process[stream], "drain") : void 0,
			onTiming: (times) => {
				log.clear();
				if (options.timing === true) process.stderr.write(`${renderTiming(times)}\n`);
			}
		}, {
			...guestsWith(tools, options),
			runner: options.runner
		});
	});
}
// src/export/select.ts
/** @throws InputError when there is none */
function selectMeasurements({ measurements }, revision) {
	const selected = measurements.filter((measurement) => measurement.revision === revision);
	if (selected.length > 0) return selected;
	throw new InputError(`the result file holds no measurement of ${revision}`, { hint: "give the results.json of a run that measured at least one kernel" });
}
/** `fun_xdp (6.1)`: the name of a benchmark where kernels are not a dimension of their own. */
function nameOnKernel({ benchmark, kernel }) {
	return `${benchmark} (${kernel})`;
}
/**
* The measure with its unit, for formats without units: `bpf-instructions`, whose name includes the unit, but
* `latency-instructions`, since a latency would otherwise be taken for nanoseconds.
*/
function nameMeasure(measurement) {
	const { lane, measure, unit } = measurement;
	if (lane === "time" && measure === unit) return `time-${measure}`;
	return namesUnit(measurement) ? measure : `${measure}-${unit.split("/")[0]}`;
}
/**
* Refuses two measurements with one key. The other tools key a value by its name and take the last of two.
*
* @param key computes what the format keys a value by
* @throws InputError when two measurements have one key
*/
function requireDistinct(measurements, key) {
	const seen = /* @__PURE__ */ new Map();
	for (const measurement of measurements) {
		const other = seen.get(key(measurement));
		if (other !== void 0) throw new InputError(`${describe(other)} and ${describe(measurement)} would have the same name ${JSON.stringify(key(measurement))}`, { hint: "give each benchmark and measure a name of its own, or export another format" });
		seen.set(key(measurement), measurement);
	}
}
/** Writes JSON, since a name may hold anything. */
function describe({ benchmark, measure, lane, kernel }) {
	return `${JSON.stringify(measure)} of ${JSON.stringify(benchmark)} (${lane}, kernel ${kernel})`;
}
// src/export/bmf.ts
/**
* Exports one object, `{"macro/fun_xdp (6.1)": {"bpf-instructions": {"value": 165}}}`.
*
* The format has no units, so they are part of the measure. Bounds span the differences that the method cannot detect;
* an exact value has none.
*
* @throws InputError when there is no measurement, or when two would have one name
*/
function exportBmf(results, revision = "head") {
	const measurements = selectMeasurements(results, revision);
	requireDistinct(measurements, (measurement) => `${nameOnKernel(measurement)}: ${toSlug(measurement)}`);
	const benchmarks = groupBy(measurements, nameOnKernel).map((group) => [nameOnKernel(group[0]), Object.fromEntries(group.map((measurement) => [toSlug(measurement), toMetric(measurement)]))]);
	return `${toPlainJson(Object.fromEntries(benchmarks), 2)}\n`;
}
/** Names a measure. Bencher's own `latency` is in nanoseconds. */
function toSlug(measurement) {
	const name = measurement.measure === "latency" && measurement.unit === "ns" ? "latency" : nameMeasure(measurement);
	const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
	return slug === "" ? name : slug;
}
function toMetric({ value, exact, resolution }) {
	const error = Math.abs(value) * resolution;
	const bounds = {
		lower_value: value - error,
		upper_value: value + error
	};
	const isBounded = Object.values(bounds).every(Number.isFinite);
	return exact || error === 0 || !isBounded ? { value } : {
		value,
		...bounds
	};
}
// src/export/github-action-benchmark.ts
/**
* Exports an array of `{name, unit, value, range?, extra}`. The action compares by the name, `bpf-instructions of
* macro/fun_xdp (6.1)`. `range` is the difference that the method cannot detect; an exact value has none. The format
* has no place for a measure that is better when higher, so it is left out.
*
* @throws InputError when there is no measurement left, or when two would have one name
*/
function exportGithubActionBenchmark(results, revision = "head") {
	const smaller = results.measurements.filter(({ better }) => better === "lower");
	const measurements = selectMeasurements({
		...results,
		measurements: smaller
	}, revision);
	requireDistinct(measurements, nameOf);
	const releases = new Map(results.kernels.map(({ id, release }) => [id, release]));
	const entries = measurements.map((measurement) => {
		const { kernel, unit, value, exact, resolution, runCount } = measurement;
		const error = Math.abs(value) * resolution;
		const facts = [
			`kernel ${releases.get(kernel) ?? kernel}`,
			exact ? "exact" : `resolution ${Number((resolution * 100).toPrecision(3))}%`,
			...runCount === null ? [] : [`${runCount} runs`]
		];
		return {
			name: nameOf(measurement),
			unit,
			value,
			...exact || error === 0 ? {} : { range: `± ${Number(error.toPrecision(3))}` },
			extra: facts.join("\n")
		};
	});
	return `${toPlainJson(entries, 2)}\n`;
}
function nameOf(measurement) {
	return `${measurement.measure} of ${nameOnKernel(measurement)}`;
}
// src/export/go.ts
/**
* Exports `BenchmarkMacro/fun_xdp/kernel=6.1 136 165 instructions/run`, below lines that describe the units and the
* machine. Benchstat does not compare across machines: each has a table of its own.
*
* An exact value is one line, and its unit is declared exact if it is so in both revisions. Any other value has a line
* for each raw sample, from which benchstat computes its own centre: its median may differ from the value that bpfgate
* compares.
*
* @throws InputError when there is no measurement, or when two would have one name
*/
function exportGo(results, revision = "head") {
	const measurements = selectMeasurements(results, revision);
	const toUnit = nameUnits(results.measurements);
	requireDistinct(measurements, (measurement) => `${toName$1(measurement)} ${toUnit(measurement)}`);
	const lines = [`pkg: ${toField(results.project.name)}`, ...groupBy(results.measurements, toUnit).map((group) => {
		const exact = group.every((measurement) => measurement.exact) ? " assume=exact" : "";
		return `Unit ${toUnit(group[0])} better=${group[0].better}${exact}`;
	})];
	let machine = "";
	for (const group of groupBy(measurements, ({ kernel }) => kernel)) {
		const own = describeMachine(results, group[0].kernel);
		if (own !== machine) lines.push(own);
		machine = own;
		for (const measurement of group) for (const { count, value } of readingsOf(measurement)) lines.push(`${toName$1(measurement)} ${count} ${value} ${toUnit(measurement)}`);
	}
	return `${lines.join("\n")}\n`;
}
function describeMachine({ kernels }, id) {
	const { accelerator = "", qemuVersion = "", cpuModel = "" } = kernels.find((kernel) => kernel.id === id)?.machine ?? {};
	return [
		`accelerator: ${accelerator}`,
		`qemu: ${toField(qemuVersion)}`,
		`cpu: ${toField(cpuModel)}`
	].join("\n");
}
function readingsOf({ value, exact, empty, samples, runCount }) {
	const taken = samples.filter(({ count }) => count > 0);
	if (exact || taken.length === 0) return [{
		count: toCount(runCount ?? 1),
		value
	}];
	return taken.map(({ count, total }) => ({
		count: toCount(count),
		value: total / count - (empty ?? 0)
	}));
}
/** Rounds a count: the format has whole iterations, in 64 bits. */
function toCount(count) {
	return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.round(count)));
}
/**
* Names a benchmark. The kernel comes last, so that a benchmark called `burst-64` is not read as one on 64 processors.
* Go's names begin with a capital.
*/
function toName$1({ benchmark, kernel }) {
	const name = toField(benchmark);
	const [first = ""] = name;
	return `Benchmark${first.toUpperCase()}${name.slice(first.length)}/kernel=${toField(kernel)}`;
}
/** Names units. To benchstat the unit is the measure; `instructions/run` alone suffices if no other measure has it. */
function nameUnits(measurements) {
	const distinct = distinctBy(measurements, ({ unit, measure }) => JSON.stringify([unit, measure]));
	const measuresByUnit = indexBy(distinct, ({ unit }) => unit);
	return (measurement) => {
		const { measure, unit } = measurement;
		if (unit !== "" && nameMeasure(measurement) === measure && measuresByUnit.get(unit)?.length === 1) return toField(unit);
		return toField(unit === "" || `-${measure}`.endsWith(`-${unit}`) ? measure : `${measure}-${unit}`);
	};
}
/** Makes a field. Spaces separate fields and line breaks separate lines; neither can be quoted. */
function toField(text) {
	return text.trim().replace(/[\s\p{C}]+/gu, "_") || "_";
}
// src/export/export.ts
const exporters = {
	bmf: exportBmf,
	go: exportGo,
	"github-action-benchmark": exportGithubActionBenchmark,
	sarif: exportSarif,
	veristat: exportVeristat
};
const exportFormats = Object.keys(exporters);
/**
* Exports one revision's measurements, or the findings as SARIF, as text that ends in a newline.
*
* @param revision default: head
* @throws InputError when there is no measurement, except for SARIF; when two would have one name; or when SARIF is
* given a revision
*/
function exportResults(results, format, revision) {
	if (format === "sarif" && revision !== void 0) throw new InputError("--revision: SARIF has findings, which are about both revisions", { hint: "leave it out" });
	return exporters[format](results, revision);
}
// src/commands/export.ts
function addExport(program) {
	program.command("export").description("print one revision's measurements in another tool's format; for SARIF the findings").argument("<file>", "a results.json").addOption(new Option("--format <format>", "the format").choices(exportFormats).makeOptionMandatory()).addOption(new Option("--revision <revision>", "revision to export (default: head)").choices(revisionNames)).action(async (file, options) => {
		write(exportResults(await readResultFile(file), options.format, options.revision));
	});
}
// src/history/trend.ts
const maxRecent = 2e3;
function packLine(segments, findings) {
	return {
		count: segments.length,
		gaps: packColumn(segments.map(({ from }, index) => from - ((segments[index - 1]?.to ?? -1) + 1))),
		lengths: packColumn(segments.map(({ from, to }) => to - from + 1)),
		fingerprints: packColumn(segments.map(({ fingerprint }) => fingerprint)),
		values: packColumn(segments.map(({ value }) => value)),
		below: packColumn(segments.map(({ value, low }) => low === null ? null : shorten(value - low))),
		above: packColumn(segments.map(({ value, high }) => high === null ? null : shorten(high - value))),
		findings
	};
}
function packColumn(values) {
	const [first] = values;
	return first !== void 0 && values.every((value) => value === first) ? first : values;
}
/** Drops the digits that subtraction adds. */
function shorten(distance) {
	return Number(distance.toPrecision(12));
}
/** Lists where a line's fingerprint or value changes. */
function listChanges(segments) {
	return segments.flatMap((after, index) => {
		const before = segments[index - 1];
		const comparison = before === void 0 ? "same" : compareValues(before, after);
		return before === void 0 || comparison === "same" ? [] : [{
			before,
			after,
			comparison
		}];
	});
}
/**
* Compares two values of a line. Those that are not exact differ where their intervals do not overlap. Where one has
* no interval, whether they differ is not known, unless they are equal.
*/
function compareValues(a, b) {
	if (a.fingerprint !== b.fingerprint) return "other fingerprint";
	if (a.low === null || a.high === null || b.low === null || b.high === null) return a.value === b.value ? "same" : "no interval";
	return a.high < b.low || b.high < a.low ? "apart" : "same";
}
// src/history/collect-trend.ts
/** Longest name on the page, in characters. */
const maxName = 200;
/** Lines in a part of the page, which is decoded as a whole. */
const linesPerPart = 50;
/** A number as text, which custom tools may give. */
const numericText = string().regex(/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i).transform(Number).pipe(number());
/** `data.js` of github-action-benchmark 1.22: https://github.com/benchmark-action/github-action-benchmark, src/write.ts. */
const benchmarkData = object({ entries: record(string(), array(object({
	commit: object({
		id: string(),
		message: string().default(""),
		timestamp: string().optional()
	}),
	date: number(),
	tool: string(),
	benches: array(object({
		name: string(),
		value: union([number(), numericText]).optional().catch(void 0),
		unit: string(),
		extra: string().default("")
	}))
}))) });
const biggerIsBetter = [
	"benchmarkjs",
	"pytest",
	"customBiggerIsBetter"
];
var TrendCollector = class {
	#commits = /* @__PURE__ */ new Map();
	#fingerprints = /* @__PURE__ */ new Map();
	#findings = /* @__PURE__ */ new Map();
	#points = /* @__PURE__ */ new Map();
	/** Fingerprints of imported values. */
	#imported = /* @__PURE__ */ new Set();
	#renames = [];
	#unread = 0;
	/** Adds a file's lines. One that is damaged, or of a later version, is counted. */
	addLines(lines) {
		for (const line of lines) {
			const parsed = historyLineSchema.safeParse(parseJson(line));
			if (parsed.success) this.#add(parsed.data);
			else this.#unread += 1;
		}
	}
	/**
	* Adds what github-action-benchmark has kept. Its suites stand in the place of kernels, and its tools in the place of
	* fingerprints. Its ranges are of other kinds for each tool, so only exact values from `bpfgate export` have steps. A
	* value of a commit for which there is a line is not used.
	*
	* @param file its name, for errors
	* @throws InputError when the text is something else
	*/
	addBenchmarkData(text, file) {
		const json = text.slice(text.indexOf("=") + 1).replace(/;\s*$/, "");
		const parsed = benchmarkData.safeParse(parseJson(json));
		if (!parsed.success) {
			const [issue] = parsed.error.issues;
			const where = issue?.path.length ? `${toPlainLine(issue.path.join("."))}: ` : "";
			throw new InputError(`\`${file}\` is not data of github-action-benchmark: ${where}${issue?.message}`, { hint: "give the data.js that the action has written to its branch, such as dev/bench/data.js of gh-pages" });
		}
		for (const [suite, runs] of Object.entries(parsed.data.entries)) for (const { commit, date, tool, benches } of runs) {
			const time = new Date(commit.timestamp ?? date);
			if (Number.isNaN(time.getTime())) {
				this.#unread += benches.length;
				continue;
			}
			const better = biggerIsBetter.includes(tool) ? "higher" : "lower";
			for (const { name, value, unit, extra } of benches) {
				if (value === void 0) {
					this.#unread += 1;
					continue;
				}
				const own = /^kernel \S/.test(extra) ? splitExportedName(name) : null;
				this.#add({
					...own ?? {
						measure: "value",
						benchmark: name,
						kernel: suite
					},
					commit: commit.id,
					date: toSeconds(time),
					unit,
					better,
					value,
					fingerprint: own === null ? tool : `${tool}, ${extra.split("\n")[0]}`,
					interval: own !== null && /^exact$/m.test(extra) ? "exact" : null,
					isImported: true
				});
				const known = this.#commits.get(commit.id);
				if (known !== void 0) known.subject ??= commit.message.split("\n")[0] ?? null;
			}
		}
	}
	#add(line) {
		const { commit, date, fingerprint, kernel, benchmark, measure, unit, better, value, interval } = line;
		const keyOf = (name) => JSON.stringify([
			name,
			measure,
			unit,
			kernel
		]);
		const key = keyOf(benchmark);
		const of = {
			kernel,
			benchmark,
			measure,
			unit,
			better
		};
		const none = () => ({
			of,
			commits: [],
			fingerprints: [],
			values: [],
			lows: [],
			highs: [],
			findings: /* @__PURE__ */ new Map()
		});
		const points = this.#points.get(key) ?? none();
		this.#points.set(key, points);
		const known = this.#commits.get(commit) ?? {
			index: this.#commits.size,
			date,
			subject: null
		};
		this.#commits.set(commit, known);
		const machine = this.#fingerprints.get(fingerprint) ?? this.#fingerprints.size;
		if (line.isImported && machine === this.#fingerprints.size) this.#imported.add(machine);
		this.#fingerprints.set(fingerprint, machine);
		const [low, high] = interval === "exact" ? [value, value] : interval ?? [null, null];
		const digit = digitOf(low, high);
		points.commits.push(known.index);
		points.fingerprints.push(machine);
		points.values.push(round(value, digit));
		points.lows.push(low === null ? null : round(low, digit));
		points.highs.push(high === null ? null : round(high, digit));
		if (line.renamedFrom !== void 0) this.#renames.push({
			from: keyOf(line.renamedFrom),
			to: key,
			commit: known.index
		});
		if (line.finding !== void 0) points.findings.set(known.index, this.#findingIndex(line.finding));
	}
	#findingIndex({ id, subject, place }) {
		const finding = {
			id,
			subject: toName(subject),
			place: place === null ? null : toName(place)
		};
		const key = JSON.stringify(finding);
		const known = this.#findings.get(key) ?? {
			index: this.#findings.size,
			finding
		};
		this.#findings.set(key, known);
		return known.index;
	}
	/**
	* Makes the page's data: its index, and the lines in parts, each of which is text with the JSON of a line on each line.
	* A benchmark's line continues that of its former name, unless that name was measured again later. Names may shift or
	* be swapped in one commit.
	*/
	finish(about, facts) {
		const sorted = sortCommits([...this.#commits].map(([id, commit]) => ({
			id,
			...commit
		})), facts);
		const order = new Map(sorted.map(({ index }, place) => [index, place]));
		this.#joinRenamed(order);
		const commits = sorted.map(({ id, date, subject }) => {
			const message = facts.subjects.get(id) ?? subject;
			return {
				id: toName(id),
				date,
				subject: message === null ? null : clipMiddle(toPlainLine(message), 100),
				isGone: facts.isWhole && !facts.subjects.has(id)
			};
		});
		const parts = [];
		let recent = [];
		const keepNewest = () => {
			recent = recent.sort((a, b) => b.at - a.at || a.plot - b.plot || a.line - b.line).slice(0, maxRecent);
		};
		const byName = [...this.#points.values()].filter(({ commits }) => commits.length > 0).toSorted(({ of: a }, { of: b }) => compare(a.benchmark, b.benchmark) || compare(a.measure, b.measure));
		const plots = groupBy(byName, ({ of }) => JSON.stringify([
			of.benchmark,
			of.measure,
			of.unit
		])).map((group, plot) => ({
			benchmark: toName(group[0].of.benchmark),
			measure: toName(group[0].of.measure),
			unit: toName(group[0].of.unit),
			better: group[0].of.better,
			lines: group.toSorted(({ of: a }, { of: b }) => compareNames(a.kernel, b.kernel)).map((points, line) => {
				const segments = toSegments(points, order, this.#imported);
				const findings = new Map([...points.findings].map(([commit, finding]) => [order.get(commit) ?? 0, finding]));
				for (const { before, after, comparison } of listChanges(segments)) {
					if (comparison !== "apart") continue;
					const finding = findings.get(after.from) ?? null;
					const { value: from } = before;
					recent.push({
						plot,
						line,
						before: before.to,
						at: after.from,
						from,
						to: after.value,
						finding
					});
					if (recent.length > 1e5) keepNewest();
				}
				if ((parts.at(-1)?.length ?? linesPerPart) === linesPerPart) parts.push([]);
				const part = parts.at(-1) ?? [];
				part.push(JSON.stringify(packLine(segments, [...findings])));
				const newest = segments.at(-1);
				return {
					kernel: toName(points.of.kernel),
					part: parts.length - 1,
					place: part.length - 1,
					last: newest?.value ?? 0,
					at: newest?.to ?? 0
				};
			})
		}));
		keepNewest();
		const fingerprints = [...this.#fingerprints.keys()].map(toName);
		const findings = [...this.#findings.values()].map(({ finding }) => finding);
		return {
			index: {
				...about,
				commits,
				fingerprints,
				findings,
				plots,
				recent,
				unread: this.#unread
			},
			parts: parts.map((lines) => lines.join("\n"))
		};
	}
	#joinRenamed(order) {
		const placeOf = (commit) => order.get(commit) ?? 0;
		const placesOf = (key) => this.#points.get(key)?.commits.map(placeOf).sort((a, b) => a - b) ?? [];
		const found = this.#renames.map(({ from, to, commit }) => {
			const [at, former] = [placeOf(commit), placesOf(from)];
			const isBefore = (place) => place < at;
			const [last, next] = [former.findLast(isBefore), former.find((place) => !isBefore(place))];
			return {
				from,
				to,
				at,
				last,
				next,
				lastOfOther: placesOf(to).findLast(isBefore)
			};
		}).filter(({ from, to, last }) => from !== to && last !== void 0).sort((a, b) => a.at - b.at || compare(a.from, b.from));
		let renames = distinctBy(distinctBy(found, ({ to, at }) => `${at} ${to}`), ({ from, last }) => `${last} ${from}`);
		for (let count = -1; count !== renames.length;) {
			count = renames.length;
			const begun = new Set(renames.map(({ to, at }) => `${at} ${to}`));
			const continued = new Set(renames.map(({ from, last }) => `${last} ${from}`));
			renames = renames.filter(({ from, to, next, lastOfOther }) => (next === void 0 || begun.has(`${next} ${from}`)) && (lastOfOther === void 0 || continued.has(`${lastOfOther} ${to}`)));
		}
		for (const group of groupBy(renames, ({ at }) => String(at))) {
			const [{ at }] = group;
			const isBefore = (commit) => placeOf(commit) < at;
			const parted = group.map(({ from, to }) => {
				const all = this.#points.get(from);
				if (all !== void 0) this.#points.set(from, pickCommits(all, (commit) => !isBefore(commit)));
				return {
					to,
					former: all === void 0 ? void 0 : pickCommits(all, isBefore)
				};
			});
			for (const { to, former } of parted) {
				const own = this.#points.get(to);
				if (own !== void 0 && former !== void 0) this.#points.set(to, joinPoints(former, own));
			}
		}
	}
};
function pickCommits(points, isWanted) {
	const wanted = points.commits.flatMap((commit, place) => isWanted(commit) ? [place] : []);
	const pick = (column) => wanted.map((place) => column[place]);
	return {
		of: points.of,
		commits: pick(points.commits),
		fingerprints: pick(points.fingerprints),
		values: pick(points.values),
		lows: pick(points.lows),
		highs: pick(points.highs),
		findings: new Map([...points.findings].filter(([commit]) => isWanted(commit)))
	};
}
/** Puts values of a former name before a benchmark's own. */
function joinPoints(former, own) {
	return {
		of: own.of,
		commits: former.commits.concat(own.commits),
		fingerprints: former.fingerprints.concat(own.fingerprints),
		values: former.values.concat(own.values),
		lows: former.lows.concat(own.lows),
		highs: former.highs.concat(own.highs),
		findings: new Map([...former.findings, ...own.findings])
	};
}
/** Sorts commits as git has them, whatever their dates, and those that it does not know by date among them. */
function sortCommits(commits, { subjects }) {
	const places = new Map([...subjects.keys()].map((id, place) => [id, subjects.size - place]));
	const placeOf = ({ id }) => places.get(id) ?? 0;
	const known = commits.filter(({ id }) => places.has(id)).sort((a, b) => placeOf(a) - placeOf(b));
	const dates = /* @__PURE__ */ new Map();
	let latest = "";
	for (const commit of known) {
		if (commit.date > latest) latest = commit.date;
		dates.set(commit, latest);
	}
	const dateOf = (commit) => dates.get(commit) ?? commit.date;
	return commits.toSorted((a, b) => compare(dateOf(a), dateOf(b)) || placeOf(a) - placeOf(b) || compare(a.id, b.id));
}
/** Splits a name of `bpfgate export --format github-action-benchmark`: `<measure> of <benchmark> (<kernel>)`. */
function splitExportedName(name) {
	const [middle, end] = [name.indexOf(" of ", 1), name.lastIndexOf(" (", name.length - 4)];
	if (middle === -1 || end <= middle + 4 || !name.endsWith(")")) return null;
	return {
		measure: name.slice(0, middle),
		benchmark: name.slice(middle + 4, end),
		kernel: name.slice(end + 2, -1)
	};
}
/**
* Joins consecutive commits with equal values. Of a commit's values one that is not imported is taken, and of several the
* one that was read last.
*/
function toSegments({ commits, ...points }, order, imported) {
	const places = commits.map((commit) => order.get(commit) ?? 0);
	const isOwn = (index) => Number(!imported.has(points.fingerprints[index] ?? -1));
	const sorted = places.map((_, index) => index).sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || isOwn(a) - isOwn(b) || a - b);
	const segments = [];
	for (const [position, index] of sorted.entries()) {
		const from = places[index] ?? 0;
		if (places[sorted[position + 1] ?? -1] === from) continue;
		const [value = 0, fingerprint = 0] = [points.values[index], points.fingerprints[index]];
		const [low = null, high = null] = [points.lows[index], points.highs[index]];
		const last = segments.at(-1);
		if (last?.value === value && last.fingerprint === fingerprint && last.low === low && last.high === high && last.to === from - 1) last.to = from;
		else segments.push({
			from,
			to: from,
			fingerprint,
			value,
			low,
			high
		});
	}
	return segments;
}
/** The place of the digit up to which a value is kept: a hundredth of its interval. Undefined if it is exact. */
function digitOf(low, high) {
	if (low === null || high === null || !(high > low)) return void 0;
	return 2 - Math.floor(Math.log10(high - low));
}
function round(value, digit) {
	if (digit === void 0 || digit > 15) return value;
	return digit > 0 ? Number(value.toFixed(digit)) : Math.round(value * 10 ** digit) / 10 ** digit;
}
function toName(text) {
	return clipMiddle(toPlainLine(text), maxName);
}
// src/history/repository-page.ts
/** Finds the page that a host has of a remote, without a user or password; null for other remotes, such as folders. */
function repositoryPage(remote) {
	const { host, path } = (/^https:\/\/(?:[^@/]*@)?(?<host>[\w.-]+(?::\d+)?)\/(?<path>[\w./-]+?)(?:\.git)?\/?$/.exec(remote) ?? /^(?:ssh:\/\/)?[\w.-]+@(?<host>[\w.-]+)(?::\d+\/|[:/])(?<path>[\w./-]+?)(?:\.git)?\/?$/.exec(remote))?.groups ?? {};
	return host === void 0 ? null : `https://${host}/${path}`;
}
// src/history/trend-page.ts
/**
* Renders the page. Its policy allows its own script and style by their hashes, and no request. The data can hold no
* markup, as it is base64; names only become text of nodes.
*/
function renderTrendPage(index, parts, tools) {
	const script = tools.script.replaceAll("<\/script", "<\\/script");
	const css = `${style}${plotStyle}`;
	const allowed = [`script-src 'sha256-${tools.digest(script)}'`, `style-src 'sha256-${tools.digest(css)}'`];
	const { commits, plots } = index;
	const project = escapeHtml(index.project);
	const data = [["index", JSON.stringify(index)], ...parts.map((part, number) => [`part-${number}`, part])].map(([id, text = ""]) => `<script type="application/gzip" id="${id}">${tools.compress(text)}<\/script>\n`);
	const body = `<header>
<h1>${project}</h1>
<p class="legend">${countOf(plots.length, "plot")} of ${countOf(commits.length, "commit")}, ${commits[0]?.date.slice(0, 10)} to ${commits.at(-1)?.date.slice(0, 10)}</p>
<nav><a href="#">Recent changes</a> <a href="#benchmarks">Benchmarks</a> <a href="#compare">Compare</a></nav>
</header>
<main><noscript>The page needs JavaScript to draw plots.</noscript></main>
${data.join("")}<script type="module">${script}<\/script>`;
	return renderDocument(allowed.join("; "), `Trend – ${project}`, css, body);
}
/** Rules for the page's own elements, then those of uPlot.min.css that are used. */
const plotStyle = `
:root { --blue: #0969da; --orange: #b35900; --green: #1a7f37; --purple: #8250df; --red: #c21c2b; --teal: #0e7490; }
@media (prefers-color-scheme: dark) {
  :root { --blue: #6cb0ff; --orange: #f0883e; --green: #56d364; --purple: #bc8cff; --red: #ff7b72; --teal: #39c5cf; }
}
header { max-width: 1120px; margin: 0 auto; padding: 24px 24px 0; }
header h1 { margin: 0; }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; }
nav a { padding: 6px 0; }
nav [aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--link); }
main { padding-top: 0; }
h2 { overflow-wrap: anywhere; }
h2:focus { outline: none; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 12px 0; align-items: center; }
.controls label { display: inline-flex; gap: 6px; align-items: center; flex-wrap: wrap; max-width: 100%; overflow-wrap: anywhere; }
main > label { display: inline-block; margin-bottom: 12px; }
select, input { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 5px 8px; min-width: 0; max-width: 100%; }
.controls .key { margin: 0; flex: none; }
.readout { display: flex; flex-wrap: wrap; gap: 4px 20px; min-height: 3em; font-size: 13px; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
td { min-width: 90px; }
@media (max-width: 700px) { header { padding: 16px 14px 0; } }
.plot { overflow: hidden; }
.plot:focus-visible { outline: 2px solid var(--link); }
.u-wrap { position: relative; user-select: none; }
.u-over, .u-under, .u-axis, .u-select, .u-cursor-x, .u-cursor-y, .u-cursor-pt { position: absolute; }
.u-under { overflow: hidden; }
.uplot canvas { display: block; position: relative; width: 100%; height: 100%; }
.u-select { background: color-mix(in srgb, var(--ink) 10%, transparent); pointer-events: none; }
.u-cursor-x, .u-cursor-pt { left: 0; top: 0; pointer-events: none; }
.u-hz .u-cursor-x { height: 100%; border-right: 1px dashed var(--quiet); }
.u-cursor-pt { border: 0 solid; border-radius: 50%; background-clip: padding-box !important; }
.u-off { display: none; }
`;
// src/commands/history.ts
/** Largest file of github-action-benchmark, in bytes: what GitHub lets a branch have. */
const maxImport = 104857600;
function addHistory(program) {
	program.command("history").description("draw the recorded history as a page: plots, their steps, and any two commits compared").requiredOption("--html <file>", "the page to write, self-contained").option("--project <dir>", "folder of the project", ".").option("--branch <name>", "branch with the history, of origin or local", "bpfgate-history").option("--import <file>", "also what github-action-benchmark has kept: its data.js").action(async ({ html, project, branch, import: imported }) => {
		const { root, projectPath } = await openRepository(project);
		const collector = new TrendCollector();
		for await (const lines of readHistory(project, branch, folderOf(projectPath))) collector.addLines(lines);
		if (imported !== void 0) {
			const text = await readFileBelow(dirname(imported), basename(imported), maxImport);
			if (text === void 0) throw new InputError(`there is no file \`${imported}\``, { hint: "give --import the path of a data.js" });
			collector.addBenchmarkData(text, imported);
		}
		const [remote = ""] = await readRepository(project, [
			"config",
			"--get",
			"remote.origin.url"
		]) ?? [];
		const name = toPlainLine(join(basename(root), projectPath));
		const about = {
			project: name,
			repository: repositoryPage(remote)
		};
		const { index, parts } = collector.finish(about, await readCommits(project));
		const unread = countOf(index.unread, "line");
		if (index.commits.length === 0) {
			const what = `the history of \`${name}\` has no values on branch \`${branch}\``;
			if (index.unread === 0) throw new InputError(what, { hint: "give --project the folder that was recorded" });
			throw new InputError(`${what} that can be read, and ${unread} not read`, { hint: "the lines are damaged, or a later version of bpfgate has recorded them: update bpfgate" });
		}
		const page = renderTrendPage(index, parts, {
			script: await readFile(join(packageRoot, "dist", "trend-page.js"), "utf8"),
			digest: (text) => hash("sha256", text, "base64"),
			compress: (text) => gzipSync(text, { level: 9 }).toString("base64")
		});
		await writeFileWhole(html, page);
		if (index.unread > 0) log.warn(`${unread} of the history not read: damaged, or of a later version`);
		const size = `${formatNumber(page.length / 1e6, 1)} MB`;
		write(`${html}: ${countOf(index.plots.length, "plot")} of ${countOf(index.commits.length, "commit")}, ${size}`);
	});
}
/** Reads the files of a project's folder on the branch, each as its lines. */
async function* readHistory(project, branch, folder) {
	const verify = [
		"rev-parse",
		"--verify",
		"--quiet",
		"--end-of-options"
	];
	const [commit] = await readRepository(project, [...verify, `refs/remotes/origin/${branch}^{commit}`]) ?? await readRepository(project, [...verify, `${branch}^{commit}`]) ?? [];
	if (commit === void 0) throw new InputError(`there is no branch \`${branch}\` in this repository`, { hint: `git fetch origin ${branch}:refs/remotes/origin/${branch}; docs/history.md says what records it` });
	const entries = await readRepository(project, [
		"ls-tree",
		"-r",
		"--full-tree",
		commit,
		"--",
		`${folder}/`
	]) ?? [];
	for (const entry of entries) {
		const [, id = "", path = ""] = /^100\d{3} blob ([0-9a-f]+)\t(.*)$/.exec(entry) ?? [];
		if (!path.startsWith(`${folder}/`) || !/^[^/]+\/[^/]+\.jsonl$/.test(path.slice(folder.length + 1))) continue;
		log.progress(path);
		const lines = await readRepository(project, [
			"cat-file",
			"blob",
			id
		]);
		if (lines === void 0) throw new InputError(`git cannot read \`${toPlainLine(path)}\` of branch \`${branch}\``, { hint: `fetch the branch with its files: git fetch --refetch --no-filter origin ${branch}` });
		yield lines;
	}
}
/** Reads what git knows of HEAD's commits. A shallow clone does not have them all. */
async function readCommits(project) {
	const [isShallow] = await readRepository(project, ["rev-parse", "--is-shallow-repository"]) ?? [];
	const logged = await readRepository(project, [
		"log",
		...[
			"--topo-order",
			"--no-show-signature",
			"--format=%H %s"
		],
		"HEAD"
	]) ?? [];
	const subjects = new Map(logged.map((line) => {
		const end = line.indexOf(" ");
		return [line.slice(0, end), line.slice(end + 1)];
	}));
	return {
		subjects,
		isWhole: isShallow === "false" && subjects.size > 0
	};
}
// src/commands/init.ts
const workflowFile = join(".github", "workflows", "bpfgate.yml");
const template = join(packageRoot, "examples", "workflows", "single-step.yml");
/** Kernel of the smallest gate: the newest with long-term support. */
const checkKernel = "latest";
function addInit(program) {
	program.command("init").description("write bpfgate.toml, from what the project's own files say, and a workflow").option("--project <dir>", "folder of the project", ".").option("--manifest <file>", "file of the build to measure, if there are several, such as Cargo.toml or go.mod").option("--workflow", "write only the workflow").option("--check", "run the gate once, on one kernel, with the last commit as base: shows that the configuration works").action(async ({ project, manifest, workflow, check }) => {
		await requireProject(resolve$1(project), "--project");
		if (workflow !== true) await writeConfig(project, manifest, check === true);
		if (check === true) {
			await runSmallest(project);
			return;
		}
		await writeWorkflow(project);
		say(`next: fill in OWNER and the commit of bpfgate in the workflow; try \`${`bpfgate init --check${resolve$1(project) === resolve$1(".") ? "" : ` --project ${shellQuote(project)}`}`}\`; commit ${workflow === true ? "it" : "both files"}`);
	});
}
/** @param isKept whether one that is already there stays, without an error */
async function writeConfig(project, manifest, isKept) {
	const path = join(project, defaultConfig);
	if (isKept && await readFile(path).catch(() => void 0) !== void 0) return;
	const detected = await detectProject(resolve$1(project), manifest);
	if (detected === void 0) throw new InputError(`no ${manifestNames} in ${resolve$1(project)}`, { hint: "`bpfgate count 'PATH/*.bpf.o'` counts object files without a project" });
	const text = renderDetected(detected);
	const { file } = await placeOfWorkflow(project);
	await writeNew(path, text, existsSync(file) ? "" : "; `bpfgate init --workflow` writes only the workflow");
	write(text);
}
/** Finds the root of the project's repository, and the workflow there. */
async function placeOfWorkflow(project) {
	const folder = await realpath(project);
	const root = await findRepositoryRoot(folder);
	return {
		root,
		below: relative(root, folder),
		file: join(root, workflowFile)
	};
}
/** Writes the workflow, at the root of the repository, with the packages that the build needs. */
async function writeWorkflow(project) {
	const { root, below, file } = await placeOfWorkflow(project);
	const text = await readFile(template, "utf8");
	const own = below === "" ? text : addInput(text, "project", JSON.stringify(below));
	const { packages } = await diagnoseText(own, workflowFile, root);
	await mkdir(dirname(file), { recursive: true });
	await writeNew(file, packages.length === 0 ? own : addInput(own, "packages", packages.join(" ")));
}
/** Adds an input before the one of the template. */
function addInput(workflow, name, value) {
	return workflow.replace(/^( +)(?=kernels:)/m, (indent) => `${indent}${name}: ${value}\n${indent}`);
}
/** @param further what else a hint says about a file that exists */
async function writeNew(path, text, further = "") {
	try {
		await writeFile(path, text, { flag: "wx" });
	} catch (error) {
		const { code, message } = error;
		const hint = code === "EEXIST" ? `remove it first, or keep it${further}` : "check the folder and its permissions";
		throw new InputError(code === "EEXIST" ? `${path} exists already` : `cannot write ${path}: ${message}`, { hint });
	}
	say(`wrote ${relative(".", resolve$1(path))}`);
}
async function runSmallest(project) {
	const inputs = await readInputs({
		project,
		base: "HEAD",
		kernels: checkKernel,
		out: defaultOut
	});
	const run = await gate(inputs, guestsWith(await requireGate(inputs, context)), {});
	await conclude(run, "text", inputs.out);
	process.exitCode = exitCodeOf(run.results);
}
// src/kernels/build/command.ts
/**
* Installs the tools a build needs that are missing on this machine, then builds.
*
* @returns text to print: the kernel, and the asset if one was requested
* @throws InputError when the selector names no kernel that can be built
*/
async function buildOnRequest(request, options) {
	const minor = /^(\d+\.\d+)(?::(?:source|tree))?$/.exec(request.selector)?.[1];
	if (minor === void 0) throw new InputError(`"${request.selector}" is not one kernel to build`, { hint: "give a minor version, such as 5.8" });
	if (request.source !== void 0 && request.asset !== void 0) throw new InputError("--asset packs kernels of pinned tarballs; it does not go with --source");
	const pin = request.source === void 0 ? findSourcePin(minor) : void 0;
	const building = {
		...options,
		install: true
	};
	if (pin === void 0) return line(await buildTree(request.source ?? ".", minor, building));
	const kernel = await buildSourceKernel(pin, building);
	if (request.asset === void 0) return line(kernel);
	const given = resolve$1(request.asset);
	const asset = (await stat(given).catch(() => void 0))?.isDirectory() === true ? join(given, `bpfgate-linux-${pin.release}-x86_64.tar.xz`) : given;
	await packAsset(dirname(kernel.image), asset, options.signal);
	const { size } = await stat(asset);
	return `${line(kernel)}\nasset ${asset} ${await hashFile(asset)} ${size} bytes`;
}
function findSourcePin(minor) {
	const pin = readPins().find((pin) => pin.origin === "source" && pin.minor === minor);
	if (pin !== void 0) return pin;
	throw new InputError(`no tarball of ${minor} is pinned`, { hint: `unpack one and build it: bpfgate kernels build ${minor} --source DIR` });
}
/** The id, the release, the image and its SHA-256. */
function line({ pin, image, imageSha256 }) {
	return `${pin.id} ${pin.release} ${image} ${imageSha256}`;
}
// src/kernels/features.ts
const btf = "CONFIG_DEBUG_INFO_BTF";
/**
* Known features, in the order of the versions. Distributions backport some to older versions; that is not considered.
*
* Upstream commits, each the first with the feature, in the same order:
* - btf: 341dfcf8d78e ("btf: expose BTF info through sysfs")
* - fentry: fec56f5890d9 ("bpf: Introduce BPF trampoline")
* - lsm: fc611f47f218 ("bpf: Introduce BPF_PROG_TYPE_LSM")
* - ringbuf: 457f44363a88 ("bpf: Implement BPF ring buffer and verifier support for it")
* - enable-stats: d46edd671a14 ("bpf: Sharing bpf runtime stats with BPF_ENABLE_STATS")
* - sk-lookup: e9ddbb7707ff ("bpf: Introduce SK_LOOKUP program type with a dedicated attach point")
* - sleepable: 1e6c62a88215 ("bpf: Introduce sleepable BPF programs")
* - recursion-misses: 9ed9e9ba2337 ("bpf: Count the number of times recursion was prevented")
* - perf-link: b89fbfbb854c ("bpf: Implement minimal BPF perf link")
* - cookie: 7adfc6c9b315 ("bpf: Add bpf_get_attach_cookie() BPF helper to access bpf_cookie value")
* - verified-insns: aba64c7da983 ("bpf: Add verified_insns to bpf_prog_info and fdinfo")
* - loop: e6f2dd0f8067 ("bpf: Add bpf_loop helper")
* - kprobe-multi: 0dcac2725406 ("bpf: Add multi kprobe link")
* - tcx: e420bed02507 ("bpf: Add fd-based tcx multi-prog infra with link support")
* - uprobe-multi: 89ae89f53d20 ("bpf: Add multi uprobe link")
* - netkit: 35dfaad7188c ("netkit, bpf: Add bpf programmable net device")
* - arena: 317460317a02 ("bpf: Introduce bpf_arena.")
* - sched-ext: f0e1a0643a59 ("sched_ext: Implement BPF extensible scheduler class")
*/
const features = [
	{
		name: "btf",
		since: "5.4",
		options: [btf]
	},
	{
		name: "fentry",
		since: "5.5",
		options: [btf, "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS"]
	},
	{
		name: "lsm",
		since: "5.7",
		options: [
			btf,
			"CONFIG_BPF_LSM",
			"CONFIG_LSM=bpf"
		]
	},
	{
		name: "ringbuf",
		since: "5.8",
		options: []
	},
	{
		name: "enable-stats",
		since: "5.8",
		options: []
	},
	{
		name: "sk-lookup",
		since: "5.9",
		options: ["CONFIG_INET"]
	},
	{
		name: "sleepable",
		since: "5.10",
		options: [btf]
	},
	{
		name: "recursion-misses",
		since: "5.12",
		options: []
	},
	{
		name: "perf-link",
		since: "5.15",
		options: ["CONFIG_BPF_EVENTS"]
	},
	{
		name: "cookie",
		since: "5.15",
		options: ["CONFIG_BPF_EVENTS"]
	},
	{
		name: "verified-insns",
		since: "5.16",
		options: []
	},
	{
		name: "loop",
		since: "5.17",
		options: []
	},
	{
		name: "kprobe-multi",
		since: "5.18",
		options: ["CONFIG_BPF_EVENTS", "CONFIG_FPROBE"]
	},
	{
		name: "tcx",
		since: "6.6",
		options: ["CONFIG_NET_XGRESS"]
	},
	{
		name: "uprobe-multi",
		since: "6.6",
		options: ["CONFIG_BPF_EVENTS", "CONFIG_UPROBES"]
	},
	{
		name: "netkit",
		since: "6.7",
		options: ["CONFIG_NETKIT"]
	},
	{
		name: "arena",
		since: "6.9",
		options: ["CONFIG_BPF_JIT"]
	},
	{
		name: "sched-ext",
		since: "6.12",
		options: ["CONFIG_SCHED_CLASS_EXT"]
	}
];
/**
* @param minor `6.1`, or `unknownVersion`
* @param config the kernel's whole configuration; undefined when it is not available
*/
function featuresOf(minor, config) {
	const set = config === void 0 ? void 0 : setOptions(config);
	const stateOf = ({ since, options }) => {
		if (minor === "unknown") return "unknown";
		if (compareVersions(minor, since) < 0) return "no";
		if (options.length === 0) return "yes";
		if (set === void 0) return "unknown";
		return options.every((option) => set.has(option)) ? "yes" : "no";
	};
	return Object.fromEntries(features.map((feature) => [feature.name, stateOf(feature)]));
}
/** The options that are built in or modules, and each active security module. */
function setOptions(config) {
	const [, securityModules = ""] = /^CONFIG_LSM="(.*)"$/m.exec(config) ?? [];
	return /* @__PURE__ */ new Set([...[...config.matchAll(/^(CONFIG_\w+)=[ym]$/gm)].map(([, name = ""]) => name), ...securityModules.split(",").map((name) => `CONFIG_LSM=${name}`)]);
}
// src/kernels/list.ts
/** @param stateOf returns a kernel's state in the cache; undefined when it is not there */
function listKernels(shown, missing, stateOf) {
	const minors = new Set(shown.map(({ minor }) => minor));
	return {
		kernels: shown.map((pin) => {
			const state = stateOf(pin);
			return {
				id: pin.id,
				release: pin.release,
				origin: pin.origin,
				support: pin.support,
				sizeBytes: downloadSize(pin) ?? state?.imageBytes ?? null,
				cached: state === void 0 ? "no" : state.broken ? "broken" : "yes",
				features: featuresOf(pin.minor, state?.config)
			};
		}),
		missing: missing.filter(({ minor }) => minors.has(minor))
	};
}
function downloadSize(pin) {
	if (pin.origin === "debian") return pin.packages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
	return (pin.origin === "source" ? pin.asset?.sizeBytes : void 0) ?? null;
}
/** The features a person looks for first, with their headings. They are narrow: the table has to fit 100 columns. */
const columns = [
	["ring\nbuf", "ringbuf"],
	["stats\nby fd", "enable-stats"],
	["BTF", "btf"],
	["fen-\ntry", "fentry"],
	["LSM", "lsm"],
	["verif.\ninsns", "verified-insns"],
	["kprobe\nmulti", "kprobe-multi"]
];
const marks = {
	yes: "✓",
	no: "-",
	unknown: "(✓)"
};
const maxWidth = 100;
/** Renders the list for a terminal. Lines are at most 100 columns wide, except those that give a reason. */
function renderKernels({ kernels, missing }) {
	const rows = kernels.map(({ id, release, origin, support, sizeBytes, cached, features }) => {
		return [
			id,
			release,
			origin,
			sizeBytes === null ? "-" : `${Math.round(sizeBytes / 1e6)} MB`,
			support,
			cached,
			...columns.map(([, name]) => marks[features[name]])
		];
	});
	const head = [
		"id",
		"release",
		"origin",
		"size",
		"support",
		"cached",
		...columns.map(([heading]) => heading)
	];
	const alignments = [
		"left",
		"left",
		"left",
		"right",
		"left",
		"left",
		...columns.map(() => "center")
	];
	const lines = layOutColumns([head, ...rows], alignments);
	if (kernels.some(({ features }) => columns.some(([, name]) => features[name] === "unknown"))) lines.push("", "(✓)  by its version alone; whether it is configured is seen once the kernel is in the cache");
	if (missing.length > 0) lines.push("", "not pinned:", ...describeMissing(missing));
	return `${lines.join("\n")}\n`;
}
/** Lists each origin and reason, and below it the minor versions. */
function describeMissing(missing) {
	const minorsOf = /* @__PURE__ */ new Map();
	for (const { minor, origin, reason } of missing) {
		const why = `  ${origin}: ${reason}:`;
		minorsOf.set(why, [...minorsOf.get(why) ?? [], minor]);
	}
	return [...minorsOf].flatMap(([why, minors]) => [why, ...wrap(minors, "    ")]);
}
function wrap(words, indent) {
	const lines = [];
	for (const word of words) {
		const line = lines.at(-1);
		if (line !== void 0 && line.length + 2 + word.length < maxWidth) lines[lines.length - 1] = `${line}, ${word}`;
		else lines.push(`${indent}${word}`);
	}
	return lines;
}
// src/commands/kernels.ts
function addKernels(program) {
	const kernels = program.command("kernels").description("the kernels that can be booted").exitOverride();
	const selectorHelp = "selectors such as 6.1, 6.1:source, 5.10..6.1, lts, latest, all, file:PATH";
	kernels.command("list").description("print the kernels, what each lets BPF programs do, and whether it is cached (default: all there are)").argument("[selectors...]", selectorHelp).addOption(new Option("--format <format>", "what to print on stdout").choices(["text", "json"]).default("text")).action(async (selectors, options) => {
		const list = listKernels(await allOrChosen(selectors), readMissing(), readCacheState);
		write(options.format === "json" ? JSON.stringify(list, null, 2) : renderKernels(list));
	});
	kernels.command("fetch").description("bring kernels into the cache: fetched and verified, then unpacked or built").argument("[selectors...]", selectorHelp, ["lts"]).action(async (selectors) => {
		sayLeftOut(selectors, "bpfgate kernels fetch");
		for (const pin of await chooseGivenKernels(selectors, "kernels fetch")) {
			const kernel = await fetchKernel(pin, context);
			write(`${pin.id} ${kernel.pin.release} ${kernel.image}`);
		}
	});
	kernels.command("build").description("compile a kernel from its pinned tarball, or from an unpacked tree, into the cache").argument("<selector>", "a minor version, such as 5.8").option("--source <dir>", "build this unpacked tree; it is then selected as 5.8:tree").option("--asset <file>", "also pack the kernel into this file, or into this folder, and print its SHA-256").option("--jobs <number>", "compilers at once (default: one per CPU)", parsePositive).action(async (selector, options) => {
		write(await buildOnRequest({
			selector,
			...options
		}, {
			...context,
			jobs: options.jobs
		}));
	});
	kernels.command("verify").description("check the pins, and cached kernels against the sums recorded when they were made (default: all there are)").argument("[selectors...]", selectorHelp).action(async (selectors) => {
		const broken = /* @__PURE__ */ new Map();
		const note = (error) => {
			if (!(error instanceof GateError)) throw error;
			broken.set(error.message, error);
			return "broken";
		};
		for (const pin of await allOrChosen(selectors)) write(`${pin.id} ${pin.release} ${await verifyCached(pin).catch(note)}`);
		if (selectors.length === 0) findUnreadable(context.cache).forEach(note);
		for (const error of broken.values()) process.exitCode = explain(error);
	});
}
async function verifyCached(pin) {
	const kernel = await verifyKernel(pin, context.cache);
	if (kernel === void 0) return "not cached";
	await verifyBootImage(kernel, context.cache);
	return "ok";
}
/** Returns all kernels if none is chosen: unlike `all`, also those that are no minor version's default. */
async function allOrChosen(selectors) {
	return (selectors.length === 0 ? [...readPins(), ...listTreeKernels(context.cache)].sort(compareKernels) : await chooseGivenKernels(selectors, "kernels")).map((pin) => pin.origin === "own" ? cachedOwn(pin) ?? pin : pin);
}
function cachedOwn(pin) {
	try {
		return cachedKernel(pin, context.cache)?.pin;
	} catch {
		return;
	}
}
function readCacheState(pin) {
	try {
		const kernel = cachedKernel(pin, context.cache);
		if (kernel === void 0) return void 0;
		return {
			broken: false,
			config: kernel.config === void 0 ? void 0 : readFileSync(kernel.config, "utf8"),
			imageBytes: statSync(kernel.image).size
		};
	} catch {
		return { broken: true };
	}
}
// src/commands/report.ts
function addReport(program) {
	program.command("report").description("join the result files of a kernel matrix into one report; exits like the run it reports").argument("<files...>", "results.json files of one run, each of another kernel or shard").option("--html <file>", "also write the report as a self-contained page").option("--history <branch>", "with --html: also draw the last commits, from this repository's history").option("--markdown <file>", "also write the report as Markdown").addOption(formatOption).action(async (files, options) => {
		if (options.history !== void 0 && options.html === void 0) throw new InputError("--history needs --html: only the page shows the last commits", { hint: "add --html FILE" });
		const given = await Promise.all(files.map(async (file) => ({
			file,
			results: await readResultFile(file)
		})));
		const results = joinResults(given);
		const fileOf = fileOfProfiles(given);
		const placeOf = (kernel, bench) => dirname(fileOf(kernel, bench) ?? ".");
		const modelFor = (page) => buildReport(results, { profilesIn: (kernel, bench) => relative(dirname(resolve$1(page)), resolve$1(placeOf(kernel, bench))) });
		if (options.html !== void 0) {
			const { renderHtml } = await import("./html.js");
			const profiles = await readProfiles(given);
			await writeFileWhole(options.html, renderHtml(modelFor(options.html), (file) => profiles.get(file), await readEarlier(results, options.history)));
		}
		if (options.markdown !== void 0) await writeFileWhole(options.markdown, renderMarkdown(modelFor(options.markdown)));
		print(results, options.format, placeOf);
		process.exitCode = exitCodeOf(results);
	});
}
/** Reads what earlier commits had from a branch of the repository that the command runs in. */
async function readEarlier(results, branch) {
	if (branch === void 0) return void 0;
	const values = new EarlierValues(results, (text) => hash("sha256", text));
	for await (const lines of readHistory(".", branch, folderOf(results.project.projectPath))) values.addLines(lines);
	return (row, kernel) => values.of(row, kernel);
}
// src/commands/run.ts
function addRun(program) {
	addProjectOptions(program.command("run").description("compare a project with its base on pinned kernels; exit 1 when something regressed")).option("--base <ref>", "revision to compare with (default: merge-base with the default branch)").option("--head <ref>", "revision to judge (default: the working tree)").option("--base-objects <list>", "BPF objects to compare with --head-objects, in the place of a project: paths, or globs in quotes").option("--head-objects <list>", "BPF objects to judge; each is compared with the one at the same path below its glob, one file with one file").option("--against <kernel>", "compare the other kernels with this one, by the objects of --head-objects").option("--kernels <list>", `${kernelSelectors} (default: from bpfgate.toml)`).option("--lanes <list>", `lanes to measure, of ${lanes.join(", ")} (default: from bpfgate.toml)`).option("--bench <list>", "benches to measure, by name (default: all)").option("--shard <index/count>", "measure this part of the benches only, such as 2/3 (default: all)").option("--time-budget <time>", "what the time lane may take, such as \"10 min\" (default: from bpfgate.toml)").option("--out <dir>", `folder for report.html, report.md and results.json (default: ${defaultOut})`).addOption(freshOption).addOption(auditOption).option("--inside", "also find the source lines and called functions in which regressions of BPF programs execute more, in two boots more (needs Rust and vmtest)").addOption(timingOption).addOption(formatOption).action(async (options) => {
		const { format, inside, timeout } = options;
		const inputs = await readInputs(options);
		sayDetected(inputs);
		if (format === "veristat" && !inputs.lanes.includes("verifier")) throw new InputError("--format veristat prints the verifier lane, which is not measured", { hint: "add verifier to --lanes, or to lanes in bpfgate.toml" });
		if (inside) requirePluginRunner(inputs, "--inside");
		sayLeftOut(inputs.kernels, "--kernels");
		const run = await gate(inputs, {
			...guestsWith(await requireGate(inputs, context), options),
			inside: inside && "regressions"
		}, { kernelTimeoutMs: timeout && timeout * 1e3 });
		await conclude(run, format, inputs.out, options.timing);
		process.exitCode = exitCodeOf(run.results);
	});
}
// src/cli.ts
/** Milliseconds since the process started. */
let interruptedAt = 0;
for (const name of [
	"SIGINT",
	"SIGTERM",
	"SIGHUP"
]) process.on(name, () => {
	if (context.signal.aborted) {
		if (performance.now() - interruptedAt > 1e3) process.exit(130);
		return;
	}
	interruptedAt = performance.now();
	log.progress(`${name}: ending the guests`);
	interrupt(new InterruptedError(`interrupted by ${name}`));
});
for (const stream of [process.stdout, process.stderr]) stream.on("error", (error) => {
	if (error.code === "EPIPE") interrupt(new InterruptedError("stdout was closed"));
	else throw error;
});
process.on("uncaughtException", (error) => process.exit(explain(error)));
const leftOutOfPath = describeRelativeFolders(process.env.PATH);
if (leftOutOfPath !== void 0) log.warn(leftOutOfPath);
const program = new Command("bpfgate").description("A performance gate for eBPF: exact instruction counts on pinned kernels, base against head").version(version).exitOverride().configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "bpfgate: ")) }).showSuggestionAfterError();
for (const add of [
	addRun,
	addCount,
	addBisect,
	addInit,
	addDemo,
	addKernels,
	addExec,
	addReport,
	addHistory,
	addExport,
	addDoctor
]) add(program);
try {
	await program.parseAsync();
} catch (error) {
	process.exitCode = explain(error);
}
log.clear();
export {};
