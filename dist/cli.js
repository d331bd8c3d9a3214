import { i as __toESM, r as __require, t as __commonJSMin } from "./rolldown-runtime.js";
import { $n as readPins, $r as toPlainLine, $t as findReadable, An as buildTree, Ar as renderDetected, Bn as optionalGroups, Br as GitSession, Bt as requireCommand, Cn as guestDemands, Cr as detectProject, Dn as findOwnKernels, Dr as groupBy, Dt as publishRun, En as fetchKernel, Er as distinctBy, Et as publishFailure, Fn as checkPrerequisites, Fr as manifests, Ft as buildReport, Gn as cachedKernel, Gr as findRepositoryRoot, Ht as describeWarning, In as findMissing, Ir as lanes, Jn as listTreeKernels, Jr as breakCommands, Kn as chooseKernels, Kr as runOrThrow, Ln as findingEnvironment, Lr as runners, Lt as toUrl, Mn as packAsset, Mr as isKernelName, Nn as requirePrerequisites, Nr as splitSelectors, On as isInRpm, Or as indexBy, Ot as writeOutputs, Pr as manifestNames, Pt as parseSeconds, Qn as readMissing, Qr as toPlainJson, Qt as verifyBootImage, Rn as demandOf, Rr as sandboxPolicies, Rt as runGate, Sn as listMissing, Sr as locateGivenKernels, St as readResultFile, Tn as projectDemands, Tt as layOutColumns, Ur as readRepository, Ut as joinWarnings, Vn as prerequisiteGroups, Vr as openRepository, Vt as describeSandbox, Wr as readFileBelow, Wt as noteMeasurements, Xn as describeLeftOut, Xr as countOf, Xt as defaultMemoryMiB, Yn as verifyKernel, Yt as writeOptions, Zn as compareKernels, Zt as renderTiming, _n as demandsForGate, _r as defaultOut, an as findFindings, ar as publishEntry, at as joinResults, bn as requireGate, br as requireProject, bt as toSeconds, ci as BuildError, cn as rankOf, ct as renderDocument, di as InterruptedError, dn as isUngated, dr as record, ei as toPlainName, en as serializeResults, er as compareVersions, fi as MachineError, fn as compare, fr as string, gn as revisionNames, gr as defaultConfig, gt as folderOf, hn as namesUnit, hr as readSchedule, ii as shellQuote, in as formatNumber, ir as openCache, it as fileOfProfiles, kn as buildSourceKernel, kr as describeDetected, kt as renderMarkdown, li as GateError, ln as shortOf, lr as number, lt as style, mi as machineFailure, mn as version, ni as toText, nn as nameUnit, oi as listNames, on as inputOf, or as hashFile, ot as EarlierValues, pi as VmError, pn as compareNames, pr as union, qn as findUnreadable, qr as describeRelativeFolders, ri as clipMiddle, rn as formatDelta, si as BenchError, sn as programOf$1, sr as array, ti as toPlainText, tn as isLoads, ui as InputError, un as exitCodeOf, ur as object, ut as escapeHtml, vn as installDemands, vr as readInputs, vt as historyLineSchema, wn as rpmDemands, wt as renderText, xn as sandboxDemands, xr as packageRoot, xt as readProfiles, yn as installForGate, yr as readNamedKernels, yt as parseJson, zn as needs, zr as suggest, zt as execInGuest } from "./shared.js";
import { once, setMaxListeners } from "node:events";
import { basename, dirname, join, relative, resolve } from "node:path";
import { existsSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { cp, lstat, mkdir, readFile, readdir, realpath, stat, writeFile } from "node:fs/promises";
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
const freshOption = new Option("--fresh", "ignore cached builds and counts, and cache none: build and count both again");
const auditOption = new Option("--audit <percent>", "share of the cached counts to count again and compare (default: 5)").argParser(parsePercent).conflicts("fresh");
const timeoutOption = new Option("--timeout <seconds>", "time limit for one kernel, boot included (default: 1800)").argParser(parseTimeout);
const runnerOption = () => new Option("--runner <runner>", "what boots the guests").choices(runners);
/** Adds the options by which a project is found, built and measured. */
function addProjectOptions(command) {
	return command.option("--project <dir>", "folder of the project", ".").option("--config <file>", "the configuration, relative to the project (default: bpfgate.toml, or what the build tool says)").addOption(timeoutOption).addOption(new Option("--sandbox <policy>", "whether the build on this host is sandboxed (default: auto, where it can be)").choices(sandboxPolicies)).option("--allow-project-registries", "download dependencies by the project's own settings and with your logins, for private registries: only where you trust the project's authors").addOption(snapshotOption);
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
			verifier: "off"
		},
		overrides: []
	};
	const inputs = {
		...read,
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
		keptBuilds,
		isConfigShared: true
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
	const { config, bench, timeout, sandbox, allowProjectRegistries, snapshot } = given;
	const options = {
		project: projectPath || void 0,
		config,
		bench,
		kernel: pin.id,
		timeout: timeout?.toString(),
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
		groupBy(runs, ({ kernel, benchmark }) => `${kernel}/${programOf(benchmark)}`).some(takesOnePath) && "all inputs: each took the same path: to see others, add packets by [[input]], or entries of maps by [[preset]]\n",
		runs.some(({ measure }) => measure === "events") && "events in calls: runs of the program while the process of the workload made that many system calls\n",
		runs.some(({ measure, exact }) => measure !== "events" && !exact) && "~: not exact: a mean of runs in readings that differ\n"
	].filter(Boolean).join("");
}
/** Whether all of several inputs have the same count and return value. */
function takesOnePath([first, ...others]) {
	return others.length >= 3 && others.every(({ value, behavior }) => value === first?.value && behavior?.returned === first.behavior?.returned);
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
	const noted = [...noteMeasurements(own), ...warnings.map((warning) => ({
		...warning,
		kernel: id
	}))];
	const lines = [
		...loaded.length > 0 ? table : [],
		...refused.flatMap((measures) => [`${nameOf$1(measures)}: refused: ${reasonOf(measures)}`, ...logOf(measures).map((line) => `  │ ${line}`)]),
		...missing.map(({ benchmark, needs, reason }) => {
			const why = needs === null ? reason ?? "unsupported" : `needs kernel ${needs}`;
			return `${toPlainLine(benchmark)}: not tried: ${clip(why)}`;
		}),
		...renderRuns(own.filter(({ lane }) => lane === "instructions")),
		...error === null ? [] : [`error: ${clip(error.message)}`],
		...joinWarnings(noted.map((warning) => ({
			...warning,
			revision: void 0
		}))).map((warning) => `warning: ${clip(toPlainName(describeWarning(warning)))}`)
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
	const blocks = groupBy(seen, ({ kernel, benchmark }) => JSON.stringify([kernel, programOf(benchmark)])).flatMap((ofProgram) => groupBy(ofProgram, ({ benchmark: _, code: __, kinds, ...found }) => JSON.stringify([found, shownKinds(kinds)])).map((group) => {
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
	const [{ kernel, benchmark, reason, counted, lines, calls, interruptions, empty, rest }] = group;
	const names = group.map((each) => toPlainLine(inputName(each.benchmark)));
	const inputs = names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 3 + 1} other inputs` : names.join(", ");
	const title = `${toPlainLine(programOf(benchmark))} on ${inputs}, ${toPlainLine(kernel)}`;
	const amounts = [counted, ...[
		...lines,
		...calls,
		...interruptions
	].map(({ instructions }) => instructions)];
	const numbers = [...calls.map((each) => each.calls), ...interruptions.map(({ times }) => times)];
	const decimals = [...amounts, ...numbers].every(Number.isInteger) ? 0 : 1;
	const toText = (value) => formatNumber(value, decimals);
	const all = [
		...lines.map(toLineRow),
		...calls.map((call) => toCallRow(call, toText)),
		...interruptions.map((each) => toInterruptionRow(each, toText))
	].toSorted((a, b) => b.amount - a.amount);
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
	return [`${title}: ${toText(counted)} instructions a run`, ...[
		...table,
		...renderKinds(group[0]),
		...warnings.map((warning) => `warning: ${warning}`)
	].map((line) => `  ${line}`)].join("\n").concat("\n");
}
function toLineRow({ file, line, instructions }) {
	return {
		amount: instructions,
		where: file === null ? "code without a known line" : toPlainLine(`${file}:${line}`)
	};
}
function toCallRow({ way, name, calls, instructions, least, most, frequent }, toText) {
	const times = `${Number.isInteger(calls) ? formatNumber(calls) : toText(calls)} ${way}${calls === 1 ? "" : "s"}`;
	return {
		amount: instructions,
		where: `${toPlainLine(name)}, ${times} of ${toRange({
			least,
			most,
			frequent
		})}`
	};
}
function toInterruptionRow({ name, times, instructions }, toText) {
	return {
		amount: instructions,
		where: `${name === null ? "other threads" : name === pageFault ? "page faults" : `interrupts by ${toPlainLine(name)}`}, ${toText(times)} a run`
	};
}
/** Where the kernel's page faults enter it. */
const pageFault = "asm_exc_page_fault";
function toRange({ least, most, frequent }) {
	return `${formatNumber(frequent)}${least === most ? "" : ` (${formatNumber(least)} to ${formatNumber(most)})`}`;
}
/** One kind of run has nothing to show that the table does not say. */
function shownKinds(kinds) {
	return kinds.length < 2 ? [] : kinds;
}
function renderKinds({ kinds: all, otherKinds }) {
	const kinds = shownKinds(all);
	if (kinds.length === 0) return [];
	const shown = kinds.slice(0, maxRows);
	const further = kinds.slice(maxRows).reduce((sum, { runs }) => sum + runs, otherKinds);
	const rows = [...shown.map((kind) => [
		formatNumber(kind.runs),
		toRange(kind),
		formatNumber(kind.own),
		describeKind(kind)
	]), ...further === 0 ? [] : [[
		formatNumber(further),
		"",
		"",
		"other kinds"
	]]];
	return layOutColumns([[
		"runs",
		"instructions",
		"own",
		"kind of run"
	], ...rows], [
		"right",
		"right",
		"right",
		"left"
	]);
}
function describeKind({ callback, calls }) {
	const made = calls.map(({ way, name, calls: times }) => {
		return `${times === 1 ? "" : `${formatNumber(times)} ${way === "call" ? "calls" : "jumps"} of `}${toPlainLine(name)}`;
	});
	const what = made.length === 0 ? "no calls" : made.join(", ");
	return callback === null ? what : `${toPlainLine(callback)}, called by the kernel: ${what}`;
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
async function conclude(run, format, out) {
	print(run.results, format, () => out);
	await publishRun(run, out);
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
	program.command("count").description("install what is missing, and print whether each program of BPF objects loads and what it costs").argument("<object...>", "object files, or globs in quotes: `*` matches within and across folders").option("--kernels <list>", `${kernelSelectors} (default: lts)`).option("--out <dir>", "folder for report.html, report.md and results.json (default: none is written)").addOption(timeoutOption).addOption(snapshotOption).addOption(freshOption).addOption(auditOption).option("--inside", "also print where the instructions of each run go: by source line, and by called function (not in JSON)").addOption(new Option("--format <format>", "what to print on stdout").choices(countFormats).default("text")).action(async (objects, { kernels, out, format, timeout, inside, ...options }) => {
		refuseKernels(objects, kernels);
		const given = {
			headObjects: `${objects.join("\n")}\n`,
			kernels,
			out: out ?? tmpdir()
		};
		const inputs = await readInputs(given, (option) => option === "head-objects" ? "count" : `--${option}`);
		sayLeftOut(inputs.kernels, "--kernels");
		const { tools, all: guestTools, stop } = await installForGate(inputs, context);
		const guests = {
			...guestsWith(tools, options),
			inside: inside === true
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
		process.exitCode = !isWhole ? 3 : run.results.measurements.length === 0 ? 4 : 0;
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
		name: "micro/xdp/source_addr instructions",
		pattern: /^micro\/xdp\/source_addr instructions$/
	},
	{
		name: "profiler/profiler/process_sample instructions",
		pattern: /^profiler\/profiler\/process_sample instructions$/
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
	program.command("demo").description("install what is missing and run the gate on the bundled example project with two planted regressions").option("--kernels <list>", "kernel selectors", "5.10,6.1").option("--out <dir>", `folder for report.html, report.md and results.json (default: ${defaultOut})`).addOption(auditOption).action(async (options) => {
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
			await conclude(run, "text", inputs.out);
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
// src/commands/doctor.ts
function addDoctor(program) {
	program.command("doctor").description("print what this machine has and what is missing, and the command that installs each").option("--project <dir>", "folder that holds bpfgate.toml (without one, what the demo needs is counted)", ".").option("--install", "install what is missing").option("--environment", "print, as JSON, the environment in which the tools are found").addOption(new Option("--runner <runner>", "also require what this runner needs").choices(runners)).option("--tests", "also require what bpfgate's own tests build projects with").action(async (options) => {
		if (options.install === true) await (await installDemands(() => doctorDemands(options, true), context)).all;
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
		process.exitCode = findMissing(found).length === 0 ? 0 : 3;
	});
}
async function doctorDemands({ project, runner, tests }, toInstall = false) {
	const isProject = [defaultConfig, ...manifests.map(({ file }) => file)].some((file) => existsSync(join(project, file)));
	if (!isProject && !toInstall) say(`${resolve(project)} has no project: this is what the demo needs`);
	const given = {
		project: isProject ? project : exampleProject,
		runner,
		out: tmpdir()
	};
	const inputs = await readInputs(given);
	const sandbox = toInstall ? await sandboxDemands(inputs, context) : [];
	const demands = [...await demandsForGate(inputs, context), ...sandbox];
	const ofTests = [
		"compile",
		"cargo-criterion",
		"sandbox-network",
		"tests"
	];
	return tests === true ? [...demands, ...ofTests.map((group) => demandOf(group))] : demands;
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
	program.command("exec").description("boot one kernel and run a command in it; exits with the command's own code").requiredOption("--kernel <selector>", "the kernel").option("--timeout <seconds>", "time limit, boot included", parseTimeout, 1800).addOption(runnerOption().default(runners[0])).option("--icount", "count instructions as the gate does: a nanosecond of the guest is one").option("--timing", "also print how long each stage of the boot took, on stderr").addOption(snapshotOption).argument("<command...>", "the command and its arguments, after --").action(async (argv, options) => {
		requireCommand(argv, options.kernel);
		const pins = await chooseGivenKernels([options.kernel], "--kernel");
		const [pin] = pins;
		if (pin === void 0 || pins.length > 1) throw new InputError(`--kernel ${options.kernel} selects ${pins.map(({ id }) => id).join(", ")}; exec boots exactly one`, { hint: "give the id of one of them" });
		const { cache, environment } = context;
		const finding = {
			cache,
			environment: findingEnvironment(environment)
		};
		const programsToBuild = await listMissing(["bpfgate-agent"], finding);
		const isToUnpack = isInRpm(pin) && cachedKernel(pin, cache) === void 0;
		const demands = [...guestDemands({
			programsToBuild,
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
			memoryMiB: defaultMemoryMiB,
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
	const { measure, unit } = measurement;
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
function toSlug(measurement) {
	const name = nameMeasure(measurement);
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
		await requireProject(resolve(project), "--project");
		if (workflow !== true) await writeConfig(project, manifest, check === true);
		if (check === true) {
			await runSmallest(project);
			return;
		}
		const isWritten = await writeWorkflow(project, workflow !== true);
		const ofProject = resolve(project) === resolve(".") ? "" : ` --project ${shellQuote(project)}`;
		const command = `bpfgate init --check${ofProject}`;
		const missing = workflow === true ? [] : await findMissingTools(project);
		if (missing.length > 0) say(`this machine does not have ${listNames(missing)}: \`bpfgate doctor --install${ofProject}\` installs what it can`);
		say(`next: ${isWritten ? "fill in OWNER and the commit of bpfgate in the workflow; " : ""}try \`${command}\`; commit ${isWritten ? workflow === true ? "it" : "both files" : defaultConfig}`);
	});
}
/** @param isKept whether one that is already there stays, without an error */
async function writeConfig(project, manifest, isKept) {
	const path = join(project, defaultConfig);
	if (isKept && await readFile(path).catch(() => void 0) !== void 0) return;
	const detected = await detectProject(resolve(project), manifest);
	if (detected === void 0) throw new InputError(`no ${manifestNames} in ${resolve(project)}`, { hint: "`bpfgate count 'PATH/*.bpf.o'` counts object files without a project" });
	const text = renderDetected(detected);
	const { file } = await placeOfWorkflow(project);
	await writeNew(path, text, existsSync(file) ? "" : "; `bpfgate init --workflow` writes only the workflow");
	write(text);
}
/** Names of what this machine does not have of what the project is built with. */
async function findMissingTools(project) {
	const { config } = await readInputs({
		project,
		out: tmpdir()
	});
	const statuses = await checkPrerequisites(await projectDemands(resolve(project), config), context);
	return findMissing(statuses).map(({ prerequisite }) => prerequisite.name);
}
/** Finds the root of the project's repository, and the workflow there. */
async function placeOfWorkflow(project) {
	const folder = await realpath(project);
	const root = await findRepositoryRoot(folder);
	return {
		below: relative(root, folder),
		file: join(root, workflowFile)
	};
}
/**
* Writes the workflow, at the root of the repository.
*
* @param isKept whether one that is already there stays, without an error: it may be for another project
* @returns whether it was written
*/
async function writeWorkflow(project, isKept) {
	const { below, file } = await placeOfWorkflow(project);
	const input = `project: ${JSON.stringify(below)}`;
	if (isKept && existsSync(file)) {
		const needed = below === "" ? "" : `; it needs a job with \`${input}\``;
		say(`kept ${relative(".", file)}, which exists already${needed}`);
		return false;
	}
	const text = await readFile(template, "utf8");
	const folder = dirname(file);
	for (const path of [dirname(folder), folder]) {
		if (!(await lstat(path).catch(() => void 0))?.isSymbolicLink()) continue;
		throw new InputError(`cannot write ${file}: ${path} is a link`, { hint: "put a folder in the place of the link: it could lead out of the repository" });
	}
	await mkdir(folder, { recursive: true });
	const own = text.replace(/^ +(?=kernels:)/m, (indent) => `${indent}${input}\n${indent}`);
	await writeNew(file, below === "" ? text : own);
	return true;
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
	say(`wrote ${relative(".", resolve(path))}`);
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
	const given = resolve(request.asset);
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
	kernels.command("build").description("compile a kernel from its pinned tarball, or from an unpacked tree, into the cache").argument("<selector>", "a minor version, such as 5.8").option("--source <dir>", "build this unpacked tree; it is then selected as 5.8:tree").option("--asset <file>", "also pack the kernel into this file, or into this folder, and print its SHA-256").action(async (selector, options) => {
		write(await buildOnRequest({
			selector,
			...options
		}, context));
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
	program.command("report").description("join the result files of a kernel matrix into one report; exits like the run it reports").argument("<files...>", "results.json files of one run, each of another kernel or shard").option("--html <file>", "also write the report as a self-contained page").option("--history <branch>", "with --html: also draw the last commits, from this repository's history").addOption(formatOption).action(async (files, options) => {
		if (options.history !== void 0 && options.html === void 0) throw new InputError("--history needs --html: only the page shows the last commits", { hint: "add --html FILE" });
		const given = await Promise.all(files.map(async (file) => ({
			file,
			results: await readResultFile(file)
		})));
		const results = joinResults(given);
		const fileOf = fileOfProfiles(given);
		const placeOf = (kernel, bench) => dirname(fileOf(kernel, bench) ?? ".");
		const modelFor = (page) => buildReport(results, { profilesIn: (kernel, bench) => relative(dirname(resolve(page)), resolve(placeOf(kernel, bench))) });
		if (options.html !== void 0) {
			const { renderHtml } = await import("./html.js");
			const profiles = await readProfiles(given);
			await writeFileWhole(options.html, renderHtml(modelFor(options.html), (file) => profiles.get(file), await readEarlier(results, options.history)));
		}
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
	addProjectOptions(program.command("run").description("compare a project with its base on pinned kernels; exit 1 when something regressed")).option("--base <ref>", "revision to compare with (default: merge-base with the default branch)").option("--head <ref>", "revision to judge (default: the working tree)").option("--base-objects <list>", "BPF objects to compare with --head-objects, in the place of a project: paths, or globs in quotes").option("--head-objects <list>", "BPF objects to judge; each is compared with the one at the same path below its glob, one file with one file").option("--against <kernel>", "compare the other kernels with this one, by the objects of --head-objects").option("--kernels <list>", `${kernelSelectors} (default: from bpfgate.toml)`).option("--lanes <list>", `lanes to measure, of ${lanes.join(", ")} (default: from bpfgate.toml)`).option("--bench <list>", "benches to measure, by name (default: all)").option("--shard <index/count>", "measure this part of the benches only, such as 2/3 (default: all)").option("--out <dir>", `folder for report.html, report.md and results.json (default: ${defaultOut})`).addOption(runnerOption()).addOption(freshOption).addOption(auditOption).addOption(formatOption).action(async (options) => {
		const { format, timeout } = options;
		const inputs = await readInputs(options);
		sayDetected(inputs);
		if (format === "veristat" && !inputs.lanes.includes("verifier")) throw new InputError("--format veristat prints the verifier lane, which is not measured", { hint: "add verifier to --lanes, or to lanes in bpfgate.toml" });
		sayLeftOut(inputs.kernels, "--kernels");
		const run = await gate(inputs, guestsWith(await requireGate(inputs, context), options), { kernelTimeoutMs: timeout && timeout * 1e3 });
		await conclude(run, format, inputs.out);
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
